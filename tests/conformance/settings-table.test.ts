import { toFormFields } from '@berth/client';
import {
  berthJsonJsonSchema,
  changeSettings,
  type Deployment,
  type DeploySettings,
  deployFormSchema,
  deploymentSchema,
  parseDeployForm,
  readBerthJson,
  redeployRequestSchema,
  toDeploymentSettings,
} from '@berth/contract';
import { expect, test, vi } from 'vitest';
import { readDeployForm } from '../../apps/cli/src/deploy/read-settings.ts';
import { SETTING_FLAGS } from '../../apps/cli/src/deploy/setting-flags.ts';
import { renderSettingsForm } from '../../apps/console/src/features/settings/render-settings-form.test-support.ts';
import { draftOf, toDeployFields, toSettingFlags } from '../../apps/console/src/features/settings/settings-draft.ts';
import type { Setting } from '../../packages/contract/src/settings-table.ts';
import { parseSettings } from '../../packages/control/src/deployments/store/parse-settings.ts';
import { renderSettings } from '../../tools/openapi/render-settings.ts';

/** A setting that Berth doesn't have. Each test fails when its part of Berth lists settings by itself. */
const BURST = vi.hoisted(
  (): Setting => ({
    kind: 'integer',
    property: 'burstSize',
    min: 2,
    max: 9,
    default: 4,
    description: 'Requests that may come at once',
    flag: 'burst-size',
    help: 'Requests that may come at once, {min} to {max}',
    example: 5,
  }),
);

vi.mock('../../packages/contract/src/settings-table.ts', async (original) => {
  const { SETTINGS } = await original<{ SETTINGS: Record<string, Setting> }>();
  return { SETTINGS: { ...SETTINGS, burst: BURST } };
});

const parse = (fields: Record<string, string>) =>
  parseDeployForm({ fields: { function_name: 'shop', volumes: '{}', ...fields }, hasArchive: true });

function settingsOf(fields: Record<string, string>): DeploySettings {
  const form = parse(fields);
  if ('issues' in form) throw new Error(JSON.stringify(form.issues));
  return form.settings;
}

test('the deploy form and a change of settings check a new setting', () => {
  expect(parse({ burst: '1' })).toMatchObject({ issues: [{ loc: ['body', 'burst'], type: 'too_small' }] });
  expect(settingsOf({})).toMatchObject({ burstSize: 4 });
  expect(changeSettings(settingsOf({}), { burst: '7' })).toMatchObject({ settings: { burstSize: 7 } });
  expect(changeSettings(settingsOf({ burst: '7' }), { port: '80' })).toMatchObject({ settings: { burstSize: 7 } });
  expect(changeSettings(settingsOf({}), { burst: '10' })).toMatchObject({ issues: [{ type: 'too_big' }] });
});

test('the API describes it, and the list row has it', () => {
  for (const { shape } of [deployFormSchema, redeployRequestSchema, deploymentSchema])
    expect(shape).toHaveProperty('burst');
  expect(toDeploymentSettings(settingsOf({ burst: '7' }))).toMatchObject({ burst: 7 });
});

test('a row of the database that is older has its default', () => {
  expect(parseSettings('{"name":"shop"}')).toMatchObject({ burstSize: 4 });
});

test('berth.json may name it, and its JSON Schema has it', () => {
  expect(readBerthJson('{"burst":7}')).toEqual({ file: { burst: 7 } });
  expect(readBerthJson('{"burst":10}')).toHaveProperty('problem');
  const burst = { type: 'integer', minimum: 2, maximum: 9, description: `${BURST.description}. Default: 4` };
  expect(berthJsonJsonSchema()).toMatchObject({ properties: { burst } });
});

test('the command line has its flag, and names the flag where the value is wrong', () => {
  expect(SETTING_FLAGS).toMatchObject({
    '--burst-size <number>': { description: 'Requests that may come at once, 2 to 9 (4)' },
  });
  const read = (burstSize: string) => {
    const options = { burstSize } as object;
    return readDeployForm('shop', { options, file: {}, deployed: undefined });
  };
  expect(read('7').settings).toMatchObject({ burstSize: 7 });
  expect(() => read('1')).toThrow('--burst-size: ');
});

test('the forms of the console have it, and the command they show names its flag', () => {
  const draft = { ...draftOf({ ...toDeploymentSettings(settingsOf({})), name: 'shop' } as Deployment), burst: '7' };
  expect(draftOf()).toMatchObject({ burst: '4' });
  expect(settingsOf(toFormFields(toDeployFields('shop', draft)))).toMatchObject({ burstSize: 7 });
  expect(toSettingFlags(draftOf(), draft)).toEqual(['--burst-size', '7']);
  const moreTexts = { 'setting.burst': 'Burst', 'setting.burst.hint': '{min} to {max}' };
  const markup = renderSettingsForm({ language: 'en', draft, problems: { burst: 'too many' }, moreTexts });
  for (const text of ['>Burst<', '>2 to 9<', '>too many<', 'value="7"']) expect(markup).toContain(text);
});

test('the guide has a row for it', () => {
  expect(renderSettings()).toContain('| `burst` | `--burst-size` | 2–9 | `4` | `5` | Requests that may come at once |');
});
