import { SEVERITIES } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLine } from './parse-line.ts';
import { parseSeverity } from './severity-word.ts';

describe('a line of text', () => {
  test.each([
    ['INFO:     Uvicorn running on http://0.0.0.0:8080', 'INFO'],
    ['[error] no such file', 'ERROR'],
    ['[ WARN ] low', 'WARNING'],
    ['<notice> x', 'NOTICE'],
    ['  DEBUG indented', 'DEBUG'],
    ['WARNING:root:careful', 'WARNING'],
    ['Error: boom', 'ERROR'],
    ['warn: x', 'WARNING'],
    ['error : x', 'ERROR'],
    ['FATAL ERROR: Reached heap limit', 'CRITICAL'],
    ['panic: runtime error: index out of range', 'CRITICAL'],
    ['INFO[0000] logrus', 'INFO'],
    ['ERROR|pipe', 'ERROR'],
    ['CRITICAL', 'CRITICAL'],
    ['EMERG: x', 'EMERGENCY'],
    ['ALERT x', 'ALERT'],
    ['TRACE x', 'DEBUG'],
    ['\u001b[32mINFO\u001b[0m:     colored', 'INFO'],
    ['\u001b[1m\u001b[31m[error]\u001b[0m x', 'ERROR'],
  ])('%j is %s', (line, severity) => {
    expect(parseLine(line, 'stdout')).toEqual({ severity, message: line });
    expect(parseLine(line, 'stderr')).toEqual({ severity, message: line });
  });

  test.each([
    'Error connecting to the database',
    'Information about you',
    'INFORMAL greeting',
    'TypeError: x is not a function',
    'no ERROR here',
    'DEBUG=1',
    'Default: 5',
    '[1, 2]',
    '[errors] 3',
    '',
    '   ',
    'constructor: x',
    '2026-01-01 12:00:00,123 ERROR later in the line',
  ])('%j has the severity of its stream', (line) => {
    expect(parseLine(line, 'stdout')).toEqual({ severity: 'INFO', message: line });
    expect(parseLine(line, 'stderr')).toEqual({ severity: 'WARNING', message: line });
  });
});

describe('a line of JSON', () => {
  test.each([
    [{ message: 'hi', severity: 'ERROR' }, 'hi', 'ERROR'],
    [{ message: 'hi', severity: 'warning', level: 'error' }, 'hi', 'WARNING'],
    [{ message: 'hi', severity: 'odd', level: 'error' }, 'hi', 'ERROR'],
    [{ message: 'hi', level: 'WARN' }, 'hi', 'WARNING'],
    [{ message: 'hi', level: 50 }, 'hi', 'ERROR'],
    [{ message: 'hi', level: 60 }, 'hi', 'CRITICAL'],
    [{ message: 'hi', level: 3 }, 'hi', 'INFO'],
    [{ message: 'hi', level: null }, 'hi', 'INFO'],
    [{ message: 'ERROR: the level of the message is its own' }, 'ERROR: the level of the message is its own', 'INFO'],
    [{ message: '' }, '', 'INFO'],
    [{ message: 'hi', severity: '__proto__', level: 'constructor' }, 'hi', 'INFO'],
  ])('%j', (payload, message, severity) => {
    expect(parseLine(JSON.stringify(payload), 'stdout')).toEqual({ message, severity, jsonPayload: payload });
  });

  // Fails when the message is taken alone, as it once was: then no search for the reference shows its trace.
  test.each([
    ['ref 7f3a failed', 'Error: boom\n    at f (a.js:1:2)', 'ref 7f3a failed\nError: boom\n    at f (a.js:1:2)'],
    ['boom', 'Error: boom\n    at f (a.js:1:2)', 'Error: boom\n    at f (a.js:1:2)'],
    ['boom', 'TypeError [ERR_X]: boom\n    at f', 'TypeError [ERR_X]: boom\n    at f'],
    ['bo', 'Error: boom\n    at f', 'bo\nError: boom\n    at f'],
    ['two\nlines', 'Error: two\nlines\n    at f', 'Error: two\nlines\n    at f'],
    ['Error: boom\n    at f', 'Error: boom\n    at f', 'Error: boom\n    at f'],
    ['x', '    at f (a.js:1:2)', 'x\n    at f (a.js:1:2)'],
    ['', 'Error: boom', 'Error: boom'],
    ['x', '', 'x'],
    ['x', ['at f'], 'x'],
  ])('message %j and stack %j are both in the text', (message, stack, text) => {
    const payload = { message, stack };
    expect(parseLine(JSON.stringify(payload), 'stdout')).toEqual({
      message: text,
      severity: 'INFO',
      jsonPayload: payload,
    });
  });

  test.each(['{"msg":"hi"}', '{"message":5}', '{"message":{"a":1},"level":"info"}', ' { "a" : 1 } ', '{}'])(
    '%j without a message is its own text',
    (line) => {
      expect(parseLine(line, 'stdout')).toEqual({ message: line, severity: 'INFO', jsonPayload: JSON.parse(line) });
    },
  );

  test.each(['{"a":1', '{a:1}', '[{"message":"x"}]', '"message"', 'null', '{"message":"x"} trailing'])(
    '%j is no JSON object, so it is text',
    (line) => {
      expect(parseLine(line, 'stderr')).toEqual({ message: line, severity: 'WARNING' });
    },
  );
});

test('any text is a line', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
      const { severity, message } = parseLine(text, 'stdout');
      expect(SEVERITIES).toContain(severity);
      expect(typeof message).toBe('string');
    }),
  );
});

test('every severity is its own word, in any case', () => {
  for (const severity of SEVERITIES) {
    expect(parseSeverity(severity)).toBe(severity);
    expect(parseSeverity(severity.toLowerCase())).toBe(severity);
  }
});
