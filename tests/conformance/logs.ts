import { fromSection } from './requirement.ts';

/** Section 6. */
export const LOGS = fromSection('control-plane §6', {
  'logs.newest': 'Without since: the newest limit entries, oldest first.',
  'logs.since': 'With since: the oldest limit entries after it.',
  'logs.cursor': 'The cursor is a date-time with nanoseconds; following it neither skips nor repeats.',
  'logs.cursor-presence': 'A cursor comes whenever an entry was returned or since was given.',
  'logs.limit': 'limit is 1 to 1000, 100 by default.',
  'logs.message': 'message is the text; of a JSON line its message, else the JSON itself.',
  'logs.severity-json': 'severity comes from the severity of a JSON line, or from its level when that is a severity.',
  'logs.severity-word': 'Else from a leading level word of the line.',
  'logs.severity-stream': 'Else it is INFO on stdout and WARNING on stderr.',
  'logs.query': 'query is a filter of the Cloud Logging language; only entries that match it are answered.',
  'logs.query-errors': 'Unbalanced parentheses and syntax errors are 422 at body.query, with the column in msg.',
  'logs.requests': 'Every request that the gateway serves is an entry too.',
  'logs.system': 'Starts, stops and crashes of instances are entries.',
});
