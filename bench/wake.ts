import type { Berth } from '../tests/harness/berth.ts';
import { request } from '../tests/harness/request.ts';
import { waitFor } from '../tests/harness/wait-for.ts';

/** Waits until no instance of a service runs, and asks it. @returns milliseconds from the request to the end of its answer */
export async function wake(server: Berth, name: string): Promise<number> {
  const isCold = async () => {
    const row = (await (await server.api(`/v1/deployment/${name}`)).json()) as { instances: number };
    return row.instances === 0;
  };
  await waitFor(`${name} is cold`, isCold, { timeoutMs: 60_000 });
  const startedMs = performance.now();
  const answer = await request(server, name);
  if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${answer.text}`);
  return performance.now() - startedMs;
}
