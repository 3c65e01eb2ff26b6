import path from 'node:path';
import { rolldown } from 'rolldown';

const ENTRY = 'packages/agent/src/page/client/main.ts';

/** The script of the agent's page: one classic script without imports, for browsers of the last two years. */
export async function buildPage(root: string): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: path.join(root, ENTRY),
    platform: 'browser',
    // What is imported for one function must not bring the rest of its package.
    treeshake: {
      moduleSideEffects: [
        { test: /page\/client\/main\.ts$/, sideEffects: true },
        { test: /./, sideEffects: false },
      ],
    },
    transform: { target: 'es2023' },
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false });
  await bundle.close();
  return `${output[0].code.trim()}\n`;
}
