import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSoleCluster } from '@berth/control';
import { openDatabase } from '@berth/database';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { createShutdown } from '../context/shutdown.ts';
import { openBilling, readSetting } from './open-billing.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-billing-'));
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({ file: path.join(folder, 'berth.db') });
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Opens billing with `settings`, and closes it again. */
async function open(settings: Readonly<Record<string, string>>) {
  const reading = readConfig({ flags: settings, environment: {}, workingFolder: folder });
  if ('faults' in reading) throw new Error(reading.faults.join());
  const logger = createSilentLogger();
  const billing = await openBilling(
    {
      config: reading.config,
      version: '1',
      environment: {},
      clock: createFakeClock(),
      ids: createIdSource(),
      logger,
      shutdown: createShutdown(logger),
    },
    { db: database.db, cluster: createSoleCluster(createFakeClock()) },
  );
  await billing.close();
}

test('without files there are a price book and one plan', async () => {
  await expect(open({})).resolves.toBeUndefined();
});

// Fails when one of the two is enough: payments would be taken whose webhooks no one verifies, or the other way round.
test.each([{ 'stripe-key': 'sk_test_canary' }, { 'stripe-webhook-secret': 'whsec_canary' }])(
  'half of the settings of Stripe is a fault, which names both and no secret',
  async (settings) => {
    const error = await open(settings).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'invalid',
      message: 'BERTH_STRIPE_KEY and BERTH_STRIPE_WEBHOOK_SECRET must be set together.',
    });
  },
);

// Fails when a faulty file is passed over: accounts would be billed by the default prices.
test.each([
  ['price-book', 'BERTH_PRICE_BOOK', '{', /the price book is not JSON/],
  ['price-book', 'BERTH_PRICE_BOOK', '{"currency": 1}', /currency/],
  ['plans', 'BERTH_PLANS', '[', /the plans are not JSON/],
  ['plans', 'BERTH_PLANS', '{"plans": 1}', /plans/],
])('a faulty --%s ends the start with its setting, its file and what is wrong', async (flag, setting, text, why) => {
  const file = fileOf(`${flag}.json`, text);
  const error = await open({ [flag]: file }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(why) });
  expect((error as Error).message).toContain(`${setting} (${file}): `);
});

test('a file that is missing or a folder is named with its setting', () => {
  const missing = path.join(folder, 'none.json');
  expect(() => readSetting('BERTH_PLANS', missing, String)).toThrow(`BERTH_PLANS (${missing}): ENOENT`);
  mkdirSync(path.join(folder, 'a-folder'));
  expect(() => readSetting('BERTH_PLANS', path.join(folder, 'a-folder'), String)).toThrow(/EISDIR/);
  const broken = () => {
    throw 'a text';
  };
  expect(() => readSetting('BERTH_PLANS', fileOf('x.json', ''), broken)).toThrow(/BERTH_PLANS \(.*x\.json\): a text/);
});
