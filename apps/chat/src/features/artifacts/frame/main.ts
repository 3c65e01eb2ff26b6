import type { ArtifactOrder, ArtifactReport } from '../frame-messages.ts';
import { guardFrame, removeNestedFrames } from './guard-frame.ts';

/**
 * The frame that runs an artifact: a page or a component that an agent wrote. Its sandbox has no origin and its headers allow
 * no network, so nothing here has to be safe from the artifact, which replaces this document and shares its scripts. The frame
 * reports errors to the page, which takes them for text.
 */

addEventListener('message', ({ data, source, ports: [port] }: MessageEvent<ArtifactOrder>) => {
  if (!port || source !== parent) return;
  const report = (message: ArtifactReport) => port.postMessage(message);
  run(data, report).catch((error: unknown) => report({ type: 'error', message: messageOf(error) }));
});

async function run({ kind, code, language }: ArtifactOrder, report: (report: ArtifactReport) => void): Promise<void> {
  const component = kind === 'react' ? await import('./run-component.ts') : undefined;
  const script = component?.compileComponent(code);
  guardFrame(globalThis);
  // Opening the document removes its listeners and keeps its policy.
  document.open();
  removeNestedFrames(document);
  listen(report);
  document.write(component ? emptyDocument(language) : code);
  document.close();
  if (component && script !== undefined) component.runComponent(script, document.getElementById('root') as Element);
}

/** Reports errors, refused addresses and followed links. Links would only break: the page lets its frames go nowhere. */
function listen(report: (report: ArtifactReport) => void): void {
  addEventListener('error', ({ message, error }) =>
    report({ type: 'error', message: error ? messageOf(error) : message }),
  );
  addEventListener('unhandledrejection', ({ reason }) => report({ type: 'error', message: messageOf(reason) }));
  document.addEventListener('securitypolicyviolation', ({ blockedURI }) => {
    report({ type: 'blocked', message: blockedURI });
  });
  addEventListener('click', (event) => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    const target = link?.getAttribute('href');
    if (!link || target === null || target === undefined || target.startsWith('#')) return;
    event.preventDefault();
    report({ type: 'link', message: link.href });
  });
}

/** Returns the document of a component. Its colors follow the page's theme. */
function emptyDocument(language: string): string {
  const style =
    ':root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}body{margin:1rem}*{box-sizing:border-box}';
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  return `<!doctype html><html lang="${language === 'ar' ? 'ar' : 'en'}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head><body><div id="root"></div></body></html>`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
