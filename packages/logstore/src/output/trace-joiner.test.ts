import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTraceJoiner } from './trace-joiner.ts';

/** Printed by the programs themselves: Node 26, CPython 3.13, Go 1.24, OpenJDK 21; paths shortened. */
const NODE = `/app/server.js:5
    throw new TypeError('boom');
    ^

TypeError: boom
    at handle (/app/server.js:5:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:104:5) {
  code: 'E_BOOM',
  [cause]: Error: inner
      at Object.<anonymous> (/app/server.js:2:15)
}

Node.js v26.10.0`;
const NODE_CAUGHT = `Error: connect ECONNREFUSED 127.0.0.1:5432
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1637:16)
    at async main (file:///app/main.js:9:3)`;
const PYTHON = `Traceback (most recent call last):
  File "/app/main.py", line 8, in load
    return table[key]
           ~~~~~^^^^^
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 13, in <module>
    main()
    ~~~~^^
ValueError: no x`;
const PYTHON_LOGGED = `ERROR:root:failed
Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero`;
const GO = `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.work(...)
	/app/main.go:8
main.main()
	/app/main.go:12 +0x1d

goroutine 18 [chan receive]:
main.listen(0xc000012345)
	/app/main.go:20 +0x45
created by main.main in goroutine 1
	/app/main.go:11 +0x66
exit status 2`;
const JAVA = `2026-01-31 12:00:00 ERROR [main] Shop - order failed
java.lang.IllegalStateException: no stock
	at shop.Orders.place(Orders.java:42)
	at shop.Main.main(Main.java:7)
Caused by: java.io.IOException: broken pipe
	at shop.Stock.read(Stock.java:11)
	... 2 more`;
const JAVA_PLAIN = `Exception in thread "main" java.lang.RuntimeException: x
	at Main.main(Main.java:3)`;

function joinLines(lines: readonly string[], cuts: readonly number[] = [], maxCharacters = 262_144): string[] {
  const joiner = createTraceJoiner(maxCharacters);
  const texts: string[] = [];
  let batch: { text: string }[] = [];
  for (const [index, text] of lines.entries()) {
    batch.push({ text });
    if (!cuts.includes(index)) continue;
    texts.push(...joiner.push(batch).map((line) => line.text));
    batch = [];
  }
  return [...texts, ...[...joiner.push(batch), ...joiner.flush()].map((line) => line.text)];
}

describe('a stack trace is one entry', () => {
  test.each([
    ['Node, not caught', NODE],
    ['Node, caught', NODE_CAUGHT],
    ['Python', PYTHON],
    ['Python, logged', PYTHON_LOGGED],
    ['Go', GO],
    ['Java, logged', JAVA],
    ['Java', JAVA_PLAIN],
  ])('%s', (_, trace) => {
    const lines = trace.split('\n');
    expect(joinLines(['before', ...lines, 'after'])).toEqual(['before', trace, 'after']);
    expect(joinLines([...lines, ...lines])).toEqual([trace, trace]);
    expect(joinLines(['before', ...lines, 'after'], [...lines.keys()])).toEqual(['before', trace, 'after']);
  });

  test('different ones in a row stay apart', () => {
    const traces = [PYTHON, JAVA, NODE_CAUGHT, GO, NODE, JAVA_PLAIN];
    expect(joinLines(traces.flatMap((trace) => trace.split('\n')))).toEqual(traces);
  });

  test('one without an end is cut, and nothing of it is lost', () => {
    const frame = `    at recurse (/app/a.js:1:1)${'x'.repeat(70)}`;
    const texts = joinLines(
      ['RangeError: Maximum call stack', ...Array.from({ length: 5_000 }, () => frame)],
      [],
      10_000,
    );
    expect(texts.join('\n').split('\n')).toHaveLength(5_001);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(10_000);
  });
});

describe('lines that are no stack trace stay lines', () => {
  test.each([
    [['ERROR: a', 'ERROR: b', 'all good']],
    [['  indented', 'at home', '    at nowhere in particular']],
    [['Error: x', '', 'next']],
    [['/usr/bin:1', 'second', 'third', 'fourth']],
    [['panic: x', 'other']],
    [['', '', '']],
    [['{"message":"Error: x"}', '    at f (a.js:1:1)']],
    [['/app/x.js:5', 'TypeErr', '', '/app/x.js:5', 'source']],
    [[...Array.from({ length: 40 }, () => ''), 'Error: x', ...Array.from({ length: 40 }, () => '')]],
  ])('%j', (lines) => {
    expect(joinLines(lines)).toEqual(lines);
  });

  test('a head in doubt begins a trace of its own', () => {
    expect(joinLines(['/app/x.js:5', 'TypeError: x', '    at f (a.js:1:1)', 'end'])).toEqual([
      '/app/x.js:5',
      'TypeError: x\n    at f (a.js:1:1)',
      'end',
    ]);
  });
});

test('whatever comes, however it is cut: every line once, in order, and a flush holds nothing back', () => {
  const piece = fc.constantFrom(...[NODE, PYTHON, GO, JAVA].flatMap((trace) => trace.split('\n')), 'x', '', '{"a":1}');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(60)), (lines, cuts) => {
      expect(joinLines(lines, cuts).flatMap((text) => text.split('\n'))).toEqual(lines);
      expect(joinLines(lines, cuts)).toEqual(joinLines(lines));
    }),
    { numRuns: 1_000 },
  );
});
