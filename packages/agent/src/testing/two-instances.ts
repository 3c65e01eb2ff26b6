import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { Agent } from '../compose/agent.ts';
import { requestListener } from '../compose/define-agent.ts';

/** Where `start-shared-postgres.ts` says its Postgres is. Set: every test agent is two instances on it. */
export const SHARED_POSTGRES = 'BERTH_TEST_AGENT_POSTGRES';

/** True when test agents are two instances that take turns. */
export const isTwoInstances = process.env[SHARED_POSTGRES] !== undefined;

/** A database of the agents on this data folder: a schema that no others use. */
export async function sharedDatabaseOf(dataFolder: string): Promise<string> {
  const server = process.env[SHARED_POSTGRES] as string;
  const schema = `agent_${createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)}`;
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`create schema if not exists ${schema}`);
  await client.end();
  return `${server}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Instances of one agent behind one address. */
export interface InstanceFront {
  readonly agent: Agent;
  readonly url: string;
  close(): Promise<void>;
}

/** Hands requests to one instance after the other, also those of one connection. The instances must be open. */
export async function openInstanceFront(instances: readonly Agent[]): Promise<InstanceFront> {
  const [first] = instances as [Agent];
  let count = 0;
  const fetch: Agent['fetch'] = (request, env) => (instances[count++ % instances.length] as Agent).fetch(request, env);
  const server = createServer({ requestTimeout: 0 }, requestListener(fetch));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    agent: {
      ...first,
      fetch,
      async close(options) {
        await Promise.all(instances.map((instance) => instance.close(options)));
      },
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
