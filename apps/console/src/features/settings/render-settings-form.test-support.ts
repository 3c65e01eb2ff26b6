import { type Messages, TextProvider } from '@berth/ui';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ar } from '../../text/ar/index.ts';
import { en } from '../../text/en/index.ts';
import type { SettingsFieldsProps } from './schedule-fields.tsx';
import { SettingsFields } from './settings-fields.tsx';

/** Options of {@link renderSettingsForm}. */
export interface RenderFormOptions extends Pick<SettingsFieldsProps, 'draft' | 'problems'> {
  readonly language: 'en' | 'ar';
  /** Texts in addition to those of the console. */
  readonly moreTexts?: Messages;
}

/** Returns the HTML of the settings form. */
export function renderSettingsForm({ language, draft, problems, moreTexts }: RenderFormOptions): string {
  const messages = { ...{ en, ar }[language], ...moreTexts };
  const children = createElement(SettingsFields, { draft, problems, onChange: () => {} });
  return renderToStaticMarkup(createElement(() => TextProvider({ language, messages, children })));
}
