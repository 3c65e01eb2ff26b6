import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres } from '@berth/postgres/testing';
import { waitUntil } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { turnMessages } from '../turns/turn-messages.ts';
import { createRunEngine, type RunEngine } from './create-run-engine.ts';
import { ALICE, collect, follow, turn } from './testing/run-fixture.ts';
import { createScriptedProducer } from './testing/scripted-producer.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const logger = createSilentLogger();

describe.skipIf(!programs)(
  programs ? 'on a real Postgres' : `runs on Postgres: ${NO_POSTGRES}`,
  { timeout: 120_000 },
  () => {
    test('turns are followed and stopped from another instance', async () => {
      const server = await startPostgres(programs as string);
      const stores = await Promise.all(
        [1, 2].map(async () =>
          createSqlStores(
            await openAgentDatabase({
              place: { dataFolder: '/none', url: server.url, agent: { name: 'helper', project: 'p' } },
              logger,
            }),
          ),
        ),
      );
      const clock = createSystemClock();
      const [own, other] = stores.map(({ runs }, index) =>
        createRunEngine({
          store: runs,
          clock,
          ids: createIdSource(),
          logger,
          instance: `pg-${index}`,
          finish: turnMessages,
        }),
      ) as [RunEngine, RunEngine];
      const script = createScriptedProducer();
      const first = collect(await own.start(turn(script.produce, { isDetached: true })));
      const second = await follow(other);
      script.text('told twice');
      await waitUntil('both have read it', () => first.text === 'told twice' && second.text === 'told twice');
      expect(await other.stop(ALICE, 'c1')).toBe(true);
      await waitUntil('both have ended', () => first.end === 'stopped' && second.end === 'stopped');
      const messages = await stores[1]?.chats.messages(ALICE, 'c1');
      expect(messages?.map(({ content }) => content)).toEqual(['hello', 'told twice']);
      await Promise.all([own.close(), other.close()]);
      await Promise.all(stores.map(({ close }) => close()));
      await server.close();
    });
  },
);
