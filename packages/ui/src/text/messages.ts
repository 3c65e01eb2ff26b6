import { numberFormat } from './number-formats.ts';

/** Forms of a text by plural category (Unicode CLDR), chosen by `{count}`. */
export interface PluralForms extends Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> {
  readonly other: string;
}

/** A text with `{name}` placeholders. */
export type Message = string | PluralForms;

export type Messages = Readonly<Record<string, Message>>;

/** A translation: the same keys in another language. */
export type Translation<Source extends Messages> = Readonly<Record<keyof Source, Message>>;

export type MessageValues = Readonly<Record<string, string | number>>;

const rules = new Map<string, Intl.PluralRules>();

function pluralRules(language: string): Intl.PluralRules {
  const found = rules.get(language) ?? new Intl.PluralRules(language);
  rules.set(language, found);
  return found;
}

/** Formats `message` in `language`: picks the plural form by `values.count` and fills in the values, numbers in the language's digits. */
export function formatMessage(message: Message, language: string, values: MessageValues = {}): string {
  const count = values['count'];
  const text =
    typeof message === 'string'
      ? message
      : (message[pluralRules(language).select(typeof count === 'number' ? count : 0)] ?? message.other);
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numberFormat(language).format(value) : value;
  });
}
