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
  const bounds = ['128Mi to 32Gi', '0.08 to 1, or 2, 4, 6, 8', '1 to 3600', 'That one instance serves, 1 to 1000'];
  expect(texts).toEqual(expect.arrayContaining(bounds));
  expect(textsOf('ar')).toEqual(expect.arrayContaining(['من 128Mi إلى 32Gi', 'من 1 إلى 3600']));
});

test('a problem appears at its field', () => {
  expect(textsOf('en', { max_instances: 'too many', schedule: 'no cron' })).toEqual(
    expect.arrayContaining(['too many', 'no cron']),
  );
});
