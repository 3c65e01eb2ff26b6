import { createCronPattern } from './cron-pattern.ts';
import type { ValidationIssue } from './validation-issue.ts';

/** The times at which a deployment's `POST /cron` is called. */
export interface Schedule {
  /** Five fields, or one of `@hourly @daily @weekly @monthly @yearly`. */
  readonly cron: string;
  /** IANA time zone of the cron expression. */
  readonly timezone: string;
}

/**
 * Parses the `schedule` and `timezone` fields together. Returns the schedule, `null` for none, or all issues found.
 * `schedule` is JSON `{"cron", "timezone"}` or a bare cron string, for which `timezone` applies (UTC by default).
 */
export function parseSchedule(
  scheduleText: string,
  timezoneText: string,
): { readonly schedule: Schedule | null } | { readonly issues: ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const fault = (field: string, msg: string, type: string, ...rest: string[]) =>
    issues.push({ loc: ['body', field, ...rest], msg, type });
  const zone = timezoneText.trim();
  if (zone !== '' && !isTimeZone(zone)) fault('timezone', `"${zone}" is not an IANA time zone`, 'timezone_invalid');

  const text = scheduleText.trim();
  if (text === '') return issues.length > 0 ? { issues } : { schedule: null };

  let cron: unknown = text;
  let ownZone: unknown;
  if (text.startsWith('{')) {
    try {
      ({ cron, timezone: ownZone } = JSON.parse(text) as Record<string, unknown>);
    } catch {
      fault('schedule', 'schedule is neither JSON nor a cron expression', 'json_invalid');
      return { issues };
    }
    // Clients that always send the field send an empty object for no schedule.
    if ((cron === undefined || cron === '') && (ownZone === undefined || ownZone === '')) {
      return issues.length > 0 ? { issues } : { schedule: null };
    }
    if (cron === undefined) fault('schedule', 'cron is required', 'missing', 'cron');
    if (ownZone !== undefined && ownZone !== null && ownZone !== '') {
      if (typeof ownZone !== 'string' || !isTimeZone(ownZone)) {
        fault('schedule', `${JSON.stringify(ownZone)} is not an IANA time zone`, 'timezone_invalid', 'timezone');
      } else if (zone !== '' && zone !== ownZone) {
        fault('timezone', `contradicts the schedule's own timezone ${ownZone}`, 'timezone_contradiction');
      }
    }
  }
  const inJson = text.startsWith('{') ? ['cron'] : [];
  if (cron !== undefined) {
    const problem = typeof cron === 'string' ? cronProblem(cron) : 'cron must be a string';
    if (problem) fault('schedule', problem, 'cron_invalid', ...inJson);
  }
  if (issues.length > 0) return { issues };
  const timezone = typeof ownZone === 'string' && ownZone !== '' ? ownZone : zone || 'UTC';
  return { schedule: { cron: (cron as string).trim().replace(/\s+/g, ' '), timezone } };
}

const NICKNAMES = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually']);

const WORDS = new Set('JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT'.split(' '));

/** Returns why `cron` isn't a five-field unix cron expression or never fires; undefined when it is valid. */
export function cronProblem(cron: string): string | undefined {
  const text = cron.trim();
  if (text.startsWith('@')) {
    return NICKNAMES.has(text.toLowerCase()) ? undefined : `"${text}" is not a supported schedule`;
  }
  const count = text.split(/\s+/).length;
  if (count !== 5) return `a cron expression has 5 fields (minute hour day month weekday); this has ${count}`;
  if (!/^[\d*,/\-A-Za-z ]+$/.test(text.replace(/\s+/g, ' '))) return `"${text}" is not a unix cron expression`;
  // croner also accepts L, W and # (last, nearest weekday, nth). They aren't unix cron, so such schedules aren't portable.
  if (!(text.match(/[A-Za-z]+/g) ?? []).every((word) => WORDS.has(word.toUpperCase()))) {
    return `"${text}" holds a word that is neither a month nor a weekday`;
  }
  try {
    return createCronPattern(text).next(Date.now()) === undefined ? `"${text}" is never due` : undefined;
  } catch (error) {
    return `"${text}" is not a cron expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Returns true for an IANA time zone that the runtime knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Offsets such as +02:00 are accepted by Intl and are not IANA zones.
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
