import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { describeLogStore } from './contract/index.ts';
import { createFileLogStore } from './create-file-log-store.ts';

for (const [name, limits] of [
  ['files', {}],
  // Every few entries a new segment, every entry back-pressure: the seams get tested too.
  ['files in tiny segments', { segmentBytes: 700, backPressureCharacters: 1, writeCharacters: 1 }],
] as const) {
  describeLogStore(name, () => {
    const folder = mkdtemp(join(tmpdir(), 'berth-logs-'));
    return {
      isDurable: true,
      open: async (clock) => createFileLogStore({ folder: await folder, clock, logger: createSilentLogger(), limits }),
      dispose: async () => rm(await folder, { recursive: true, force: true }),
    };
  });
}
