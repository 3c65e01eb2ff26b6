import { globSync } from 'node:fs';
import path from 'node:path';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig } from 'vite';

/** The page's configuration for building and for serving while it is written. */
export function pageConfig(folder: string): InlineConfig {
  return {
    root: folder,
    configFile: false,
    plugins: [react(), tailwind()],
    logLevel: 'warn',
    // `light-dark()` and nested styles as they are: browsers of the last two years know them.
    build: {
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      modulePreload: { polyfill: false },
      // What counts is measured after the build: the first load.
      chunkSizeWarningLimit: 5_000,
    },
  };
}

/** Writes the page of `folder` to `outDir`: `index.html`, and scripts and styles with their hash in their name. */
export async function bundlePage(folder: string, outDir: string): Promise<void> {
  const config = pageConfig(folder);
  // Vite and React go by it: tests that build a page would get React's slow and large half otherwise.
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    // Each by itself: a frame must not load what only the page needs.
    for (const document of documentsOf(folder)) {
      await build({
        ...config,
        build: {
          ...config.build,
          outDir,
          emptyOutDir: false,
          assetsInlineLimit: 0,
          assetsDir: assetsFolder(folder),
          rolldownOptions: {
            input: document,
            // What a first visit needs is one script: forty small ones compress worse and take a request each.
            output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
          },
        },
      });
    }
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
}

/** The page, and the frames that it shows, each with a script of its own. */
function documentsOf(folder: string): string[] {
  return globSync(['index.html', '_page/*.html'], { cwd: folder }).map((file) => path.join(folder, file));
}

/** The chat page lives beside routes and files of an agent's owner, who may well have an `assets`. */
function assetsFolder(folder: string): string {
  return path.basename(folder) === 'chat' ? '_page' : 'assets';
}
