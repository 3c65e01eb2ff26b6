import { SETTING_FIELDS } from '@berth/contract/settings';
import { expect, test } from 'vitest';
import { en } from '../../text/en/index.ts';
import { renderSettingsForm } from './render-settings-form.test-support.ts';
import { draftOf } from './settings-draft.ts';

/** Texts of the form in reading order. */
function textsOf(language: 'en' | 'ar', problems: Readonly<Record<string, string>> = {}): string[] {
  const markup = renderSettingsForm({ language, draft: draftOf(), problems });
  return [...markup.matchAll(/>([^<]+)</g)].map(([, text = '']) => text);
}

// Fails when a setting is missing from the form, or when a hint's bounds differ from the table's.
test('the form has a field for each setting, with its bounds', () => {
  const texts = textsOf('en');
  for (const field of SETTING_FIELDS) expect(texts).toContain(en[`setting.${field}`]);
  const bounds = ['128Mi–32Gi', '0.08–1, or 2, 4, 6, 8', '1–3600', 'Concurrent requests, 1–1000'];
  expect(texts).toEqual(expect.arrayContaining(bounds));
  expect(textsOf('ar')).toEqual(expect.arrayContaining(['128Mi–32Gi', 'طلبات متزامنة، 1–1000']));
});

test('a problem appears at its field', () => {
  expect(textsOf('en', { max_instances: 'too many', schedule: 'no cron' })).toEqual(
    expect.arrayContaining(['too many', 'no cron']),
  );
});

// Fails when a wrong time zone marks the schedule, or shows the server's name of the field.
test('a problem of the time zone appears at the time zone, in words', () => {
  const problems = {
    schedule: 'timezone: "Mars" is not an IANA time zone',
    'schedule.timezone': '"Mars" is not an IANA time zone',
  };
  const markup = renderSettingsForm({ language: 'en', draft: { ...draftOf(), timezone: 'Mars' }, problems });
  const invalid = [...markup.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([field]) => field);
  expect(invalid).toHaveLength(1);
  expect(invalid[0]).toContain('value="Mars"');
  expect(markup).toContain('Unknown time zone “Mars”.');
  expect(markup).not.toContain('timezone:');
});
