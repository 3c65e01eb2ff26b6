import type { Handler } from '../../../packages/agent-core/src/handler/handler-context.ts';

/** An agent that answers by what it is asked for: `everything`, `attack`, `slow`, `long`, `count`; else it repeats it. */
export interface DemoHandler {
  readonly handler: Handler;
  /** Lets `slow` answers come to their end. */
  open(): void;
  /** Makes those that come from now on wait again. */
  close(): void;
}

const BOX = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="teal"/></svg>',
)}`;

const REPORT = `# Report

Some **bold** text, \`code\`, a [link](https://example.com) and a formula $e^{i\\pi}+1=0$.

$$
\\int_0^1 x^2\\,dx = \\frac13
$$

- [x] done
- two

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
export function answer(): number { return 42; } // why
\`\`\`

> Quoted.
`;

const runs = 'window.pwned=1';

const attackOn = (origin: string) => `<img src=x onerror="${runs}"> <script>${runs}</script> <svg onload=${runs}>

![leak](${origin}/leak.png?secret) ![leak]( ${origin}/leak2.png )

[a](javascript:${runs}) [b](JaVaScRiPt:${runs}) [c](java&#10;script:${runs}) [d](&#x6A;avascript:${runs})
[e](data:text/html,<script>${runs}</script>) [f](vbscript:x) [g](\u0001javascript:${runs}) [h](file:///etc/passwd)

$\\href{javascript:${runs}}{x}$ $\\includegraphics{${origin}/tex.png}$ $\\url{${origin}/url}$ $\\htmlStyle{color:red}{x}$

\`\`\`"><img src=x onerror=${runs}>
code
\`\`\`

\`\`\`mermaid
graph TD; A-->B; click A "javascript:${runs}"
\`\`\`
`;

export function createDemoHandler(foreign: string): DemoHandler {
  let gate = Promise.withResolvers<void>();
  let count = 0;
  return {
    open: () => gate.resolve(),
    close() {
      gate = Promise.withResolvers();
    },
    async *handler({ messages, signal }) {
      const text = String(messages.at(-1)?.content);
      if (text === 'everything') {
        yield { type: 'thinking', thinking: 'Let me see.' };
        yield { type: 'step', id: 's1', step: 'Search the files', tool_name: 'search' };
        yield { type: 'step_arg', id: 's1', delta: '{"query":' };
        yield { type: 'step_arg', id: 's1', delta: '"x"}' };
        yield { type: 'step', id: 's1', ok: true, result: '3 files' };
        yield REPORT;
        yield { type: 'table', headers: ['Name', 'Pages'] };
        yield { type: 'table', row: ['report.pdf', '12'] };
        yield { type: 'table', row: ['notes.pdf', '9'] };
        yield { type: 'code', code: 'print(1)', language: 'python' };
        yield { type: 'callout', callout: 'Mind **this**.', style: 'warning', title: 'Careful' };
        yield { type: 'image', src: BOX, alt: 'a box', caption: 'A box' };
        yield {
          type: 'sources',
          id: 'x',
          sources: [{ title: 'Example', url: 'https://example.com/a', snippet: 'Of it.' }],
        };
        yield { type: 'ui', action: 'suggest', suggestions: ['Say hello'] };
      } else if (text === 'attack') {
        yield attackOn(foreign);
        yield { type: 'image', src: `${foreign}/component.png`, alt: 'elsewhere' };
        yield { type: 'sources', id: 's', sources: [{ title: 'source', url: `javascript:${runs}` }] };
        yield { type: 'step', step: `<b onclick=${runs}>step</b>`, ok: true, result: `<script>${runs}</script>` };
        yield 'The attack is over.';
      } else if (text === 'slow') {
        yield 'The beginning, ';
        await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
        if (!signal.aborted) yield 'the end.';
      } else if (text === 'long') {
        for (let word = 0; word < 10_000 && !signal.aborted; word++) {
          yield word % 50 === 49 ? `w${word}\n\n` : `w${word} `;
          if (word % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } else if (text === 'count') yield `Answer number ${++count}.`;
      else yield `You said ${text}.`;
    },
  };
}
