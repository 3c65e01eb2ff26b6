import { createSystemClock } from '@berth/kit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LogInput } from '../entry/log-entry.ts';
import { createOutputParser, OUTPUT_LINE_BYTES, type OutputParserOptions } from './create-output-parser.ts';

function createParser(options: Partial<OutputParserOptions> = {}) {
  return createOutputParser({ clock: createSystemClock(), onQuiet: () => {}, ...options });
}

describe('createOutputParser', () => {
  test('makes an entry of every line, with where it came from', () => {
    const parser = createParser({ revision: 'shop-00001', instance: 'inst_1' });
    const entries = [
      ...parser.push('stdout', Buffer.from('hello\n{"message":"json","severity":"NOTICE","n":1}\n')),
      ...parser.push('stderr', Buffer.from('trouble\n')),
    ];
    const origin = { revision: 'shop-00001', instance: 'inst_1' };
    expect(entries).toEqual([
      { ...origin, logName: 'stdout', severity: 'INFO', message: 'hello' },
      {
        ...origin,
        logName: 'stdout',
        severity: 'NOTICE',
        message: 'json',
        jsonPayload: { message: 'json', severity: 'NOTICE', n: 1 },
      },
      { ...origin, logName: 'stderr', severity: 'WARNING', message: 'trouble' },
    ]);
  });

  test('the streams do not mix, and both are flushed at the end', () => {
    const parser = createParser({ logName: 'build' });
    expect(parser.push('stdout', Buffer.from('out'))).toEqual([]);
    expect(parser.push('stderr', Buffer.from('err'))).toEqual([]);
    expect(parser.push('stdout', Buffer.from('put\nrest'))).toEqual([
      { logName: 'build', severity: 'INFO', message: 'output' },
    ]);
    expect(parser.end().map((entry) => entry.message)).toEqual(['rest', 'err']);
    expect(parser.end()).toEqual([]);
  });

  test('the parts of a long line are labelled and have the level of its beginning', () => {
    const parser = createParser();
    const entries = parser.push('stderr', Buffer.from(`ERROR ${'x'.repeat(2 * OUTPUT_LINE_BYTES)}\nshort\n`));
    expect(entries.map(({ severity, labels, message }) => [severity, labels, message.length])).toEqual([
      ['ERROR', { line_part: '1' }, OUTPUT_LINE_BYTES],
      ['ERROR', { line_part: '2' }, OUTPUT_LINE_BYTES],
      ['ERROR', { line_part: '3' }, 6],
      ['WARNING', undefined, 5],
    ]);
  });

  test('a stack trace is an entry, an error, whatever the chunks', () => {
    const parser = createParser();
    const trace = 'TypeError: boom\n    at f (/app/a.js:1:2)\n    at g (/app/a.js:5:6)';
    expect(parser.push('stderr', Buffer.from(`${trace.slice(0, 30)}`))).toEqual([]);
    expect(parser.push('stderr', Buffer.from(`${trace.slice(30)}\n`))).toEqual([]);
    expect(parser.push('stdout', Buffer.from('else\n')).map((entry) => entry.message)).toEqual(['else']);
    expect(parser.push('stderr', Buffer.from('next\n'))).toEqual([
      { logName: 'stderr', severity: 'ERROR', message: trace },
      { logName: 'stderr', severity: 'WARNING', message: 'next' },
    ]);
  });

  test('what may begin a stack trace waits at most 40 ms for it', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const quiet: LogInput[] = [];
    const parser = createParser({ onQuiet: (entries) => quiet.push(...entries) });
    expect(parser.push('stdout', Buffer.from('ERROR: disk full\n'))).toEqual([]);
    vi.advanceTimersByTime(39);
    expect(quiet).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(quiet.map((entry) => entry.message)).toEqual(['ERROR: disk full']);
  });

  test('a line that has begun behind it shows that more is to come', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const quiet: LogInput[] = [];
    const parser = createParser({ onQuiet: (entries) => quiet.push(...entries) });
    expect(parser.push('stdout', Buffer.from('ERROR: disk full\nstill typ'))).toEqual([]);
    vi.advanceTimersByTime(499);
    expect(quiet).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(quiet.map((entry) => entry.message)).toEqual(['ERROR: disk full', 'still typ']);
  });

  test('nothing is given up while the program is held back', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const quiet: LogInput[] = [];
    const parser = createParser({ onQuiet: (entries) => quiet.push(...entries) });
    parser.push('stdout', Buffer.from('Error: boom\n'));
    const [first, second] = [parser.hold(), parser.hold()];
    parser.push('stderr', Buffer.from('Error: other\n'));
    vi.advanceTimersByTime(10_000);
    first();
    first();
    vi.advanceTimersByTime(10_000);
    expect(quiet).toEqual([]);
    second();
    parser.push('stdout', Buffer.from('    at f (/app/a.js:1:2)\n'));
    vi.advanceTimersByTime(40);
    expect(quiet.map((entry) => entry.message)).toEqual(['Error: boom\n    at f (/app/a.js:1:2)', 'Error: other']);
  });

  test('what could be read while the timer was late is read before it gives up', async () => {
    const quiet: LogInput[] = [];
    const parser = createParser({ onQuiet: (entries) => quiet.push(...entries) });
    parser.push('stdout', Buffer.from('Error: boom\n'));
    // From here timers come before what setImmediate calls.
    await new Promise((resolve) => setImmediate(resolve));
    const come = new Promise<void>((resolve) => {
      setImmediate(() => {
        parser.push('stdout', Buffer.from('    at f (/app/a.js:1:2)\n'));
        resolve();
      });
    });
    for (const until = performance.now() + 80; performance.now() < until; );
    await come;
    expect(quiet).toEqual([]);
    expect(parser.end().map((entry) => entry.message)).toEqual(['Error: boom\n    at f (/app/a.js:1:2)']);
  });

  test('a line without an end is handed out when nothing follows, and not before', async () => {
    const { promise, resolve } = Promise.withResolvers<LogInput[]>();
    const startedMs = performance.now();
    const parser = createParser({ onQuiet: resolve });
    parser.push('stdout', Buffer.from('Password'));
    parser.push('stdout', Buffer.from(': '));
    expect((await promise).map((entry) => entry.message)).toEqual(['Password: ']);
    expect(performance.now() - startedMs).toBeGreaterThan(450);
    expect(parser.end()).toEqual([]);
  });
});
