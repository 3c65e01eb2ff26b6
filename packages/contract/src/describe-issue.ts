import { z } from '@hono/zod-openapi';

/** An issue as Zod reports it, with the value at fault. */
interface DescribedIssue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly input: unknown;
  readonly [field: string]: unknown;
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address, such as ada@example.com',
  url: 'must be a URL, such as https://example.com',
  date: 'must be a date, such as 2026-01-31',
  datetime: 'must be a time, such as 2026-01-31T12:00:00Z',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Returns what a value must be, such as `must be at least 1`. A message that the schema itself sets stays as it is. */
export function describeIssue(issue: DescribedIssue): string {
  const standard = z.config().localeError?.(issue as never);
  const isStandard = issue.message === (typeof standard === 'string' ? standard : standard?.message);
  return (isStandard && rewrite(issue)) || issue.message;
}

function rewrite(issue: DescribedIssue): string | undefined {
  const { code, origin, minimum, maximum, inclusive, values, format, expected } = issue;
  switch (code) {
    case 'too_small':
      if (minimum === 1 && origin !== 'number' && origin !== 'int') return 'must not be empty';
      return inclusive === false ? `must be more than ${minimum}` : sized('at least', Number(minimum), origin);
    case 'too_big':
      return inclusive === false ? `must be less than ${maximum}` : sized('at most', Number(maximum), origin);
    case 'invalid_value':
      return Array.isArray(values) ? `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}` : undefined;
    case 'invalid_format':
      return FORMATS[String(format)];
    case 'invalid_type': {
      const type = TYPES[String(expected)];
      return type && `must be ${type}`;
    }
    default:
      return undefined;
  }
}

/** The nouns of what a size counts, for one and for more. */
const COUNTED: Readonly<Record<string, readonly [one: string, more: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
};

function sized(bound: 'at least' | 'at most', size: number, origin: unknown): string {
  const nouns = COUNTED[String(origin)];
  return nouns ? `must have ${bound} ${size} ${nouns[size === 1 ? 0 : 1]}` : `must be ${bound} ${size}`;
}
