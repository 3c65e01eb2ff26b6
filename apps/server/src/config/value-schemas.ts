import { createCronPattern, parseMemory } from '@berth/contract';
import { createNetworkList } from '@berth/kit/node';
import { isMailAddress, parseSmtpUrl } from '@berth/mail';
import { z } from 'zod';

/** A text with a default. */
export const text = (fallback: string) => z.string().min(1).default(fallback);
/** Text of a number. Number() would read an empty text as 0, and 0 is a meaning of its own for ports. */
const digits = z.string().trim().min(1);
/** A whole number within bounds, with a default. */
export const integer = (min: number, max: number, fallback: number) =>
  digits.default(String(fallback)).pipe(z.coerce.number<string>().int().min(min).max(max));
/** A text that may be absent. */
export const optionalText = z.string().min(1).optional();
/** A cron expression, with a default. */
export const cronExpression = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .superRefine((value, context) => {
      try {
        createCronPattern(value);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `is no cron expression: ${(error as Error).message}` });
      }
    });
/** A port that may be absent. */
export const optionalPort = (min: number) =>
  digits.pipe(z.coerce.number<string>().int().min(min).max(65_535)).optional();
/** A size such as 8Gi that may be absent. */
export const optionalSize = (example: string) =>
  z
    .string()
    .refine((value) => parseMemory(value) !== undefined, `must be a size such as ${example}`)
    .optional();
/** true, false, 1 or 0. */
export const onOff = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true' || value === '1');
/** Comma-separated texts, with a default. */
export const listOr = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    );
/** Comma-separated texts; none by default. */
export const list = listOr('');
const NOT_ARGUMENTS =
  'must be a JSON array of a program and its arguments, such as ["kms-decrypt", "/etc/berth/key.enc"]';
/** A program and its arguments, as a JSON array: no shell reads it. */
export const commandWords = z
  .string()
  .transform((value, context): readonly string[] => {
    try {
      return z.array(z.string()).min(1).parse(JSON.parse(value));
    } catch {
      context.addIssue({ code: 'custom', message: NOT_ARGUMENTS });
      return z.NEVER;
    }
  })
  .optional();

/** Networks such as 10.0.0.0/8, comma-separated. */
export const networks = list.superRefine((values, context) => {
  try {
    createNetworkList(values);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as RangeError).message });
  }
});
/** `NAME=value`, comma-separated. */
export const assignments = z
  .string()
  .default('')
  .transform((value) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.split(/=(.*)/s, 2)])))
  .refine(
    (pairs) => pairs.every(([name, value]) => name?.trim() && value?.trim()),
    'must be NAME=value, comma-separated',
  )
  .transform(
    (pairs): Readonly<Record<string, string>> =>
      Object.fromEntries(pairs.map(([name = '', value = '']) => [name.trim(), value.trim()])),
  );

/** URL of a Postgres database. Not z.url(): the host may be left out, for a socket. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be a URL such as postgres://user:password@host/database')
  .optional();

/** A JSON array of `item`; empty by default. */
export const jsonList = <Item>(item: z.ZodType<Item>, example: string) =>
  z
    .string()
    .default('[]')
    .transform((value, context): readonly Item[] => {
      try {
        return z.array(item).parse(JSON.parse(value));
      } catch {
        context.addIssue({ code: 'custom', message: `must be a JSON array such as ${example}` });
        return z.NEVER;
      }
    });

/** URL of an SMTP server. The message never repeats it, because it contains a password. */
export const smtpUrl = z
  .string()
  .superRefine((value, context) => {
    try {
      parseSmtpUrl(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as RangeError).message });
    }
  })
  .optional();

/** An e-mail address, or `Name <address>`. */
export const mailSender = z
  .string()
  .refine(
    (value) => isMailAddress(/^[^<>\r\n"]*<([^<>]+)>$/.exec(value)?.[1] ?? value),
    'must be an address, or a name and an address, such as Berth <berth@example.com>',
  )
  .optional();
