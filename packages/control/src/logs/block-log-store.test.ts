import { NO_POSTGRES, type TestPostgres } from '@berth/database/testing';
import { describeLogStore } from '@berth/logstore/contract';
import { afterAll, beforeAll, describe } from 'vitest';
import { type BlockStores, openBlockStores, postgres, startLogServer } from './testing/open-block-stores.ts';

describe.skipIf(!postgres)(postgres ? 'on a real Postgres' : `a log database: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startLogServer();
  });
  afterAll(() => server?.close());

  for (const [name, limits] of [
    ['blocks', {}],
    // Every few entries a new block and segment, every append back-pressure: the seams get tested too.
    [
      'blocks in tiny segments',
      { segmentBytes: 8_000, backPressureCharacters: 500, writeCharacters: 500, openBlocks: 8 },
    ],
  ] as const) {
    describeLogStore(name, () => {
      let stores: Promise<BlockStores> | undefined;
      return {
        isDurable: true,
        async open(clock) {
          stores ??= openBlockStores(server);
          return (await stores).open({ clock, limits });
        },
        dispose: async () => (await stores)?.[Symbol.asyncDispose](),
      };
    });
  }
});
