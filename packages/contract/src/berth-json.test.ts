import { expect, test } from 'vitest';
import { berthJsonJsonSchema, readBerthJson, settingsOfFile } from './berth-json.ts';
import { SETTING_FIELDS } from './settings.ts';

test('the JSON Schema knows each key and refuses others', () => {
  const schema = berthJsonJsonSchema() as { properties: Record<string, { description?: string }> };
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  for (const field of SETTING_FIELDS) expect(schema.properties[field]?.description).toMatch(/\w/);
});

test('settings are taken apart from how the project is built', () => {
  const read = readBerthJson('\ufeff{"start":"x","memory":"1Gi","schedule":null,"required_env":["KEY"],"volumes":{}}');
  expect('file' in read && settingsOfFile(read.file)).toEqual({ memory: '1Gi', schedule: null, volumes: {} });
});

test.each([
  ['{', /not JSON/],
  ['{"port":"80"}', /port: /],
  ['{"port":70000}', /port: /],
  ['{"volumes":{"data":"v"}}', /volumes\.data: must be an absolute path/],
  ['{"volumes":{"/data":1}}', /volumes\.\/data: must be a volume name/],
  ['{"schedule":5}', /schedule: must be a cron/],
  ['{"required_env":["A-B"]}', /required_env\.0: must be a name/],
  ['{"memroy":"1Gi"}', /memroy/],
])('%s is refused with what is wrong', (source, problem) => {
  expect(readBerthJson(source)).toEqual({ problem: expect.stringMatching(problem) });
});
