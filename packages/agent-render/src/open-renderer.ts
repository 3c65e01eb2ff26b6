import { createOwnerOutbound } from '@berth/agent-core';
import { openGotenberg } from './gotenberg/open-gotenberg.ts';
import type { NoRenderer, Renderer } from './renderer/renderer.ts';
import { openSoffice } from './soffice/open-soffice.ts';

/**
 * Opens the renderer that the owner configured: a service, LibreOffice on this machine, or none. By default,
 * LibreOffice if it is installed.
 */
export async function openRenderer(
  render: RenderOptions | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Renderer | NoRenderer> {
  if (render === false) return { problem: 'No render service is set up' };
  if (render === undefined || render === 'local') return openSoffice(environment['PATH']);
  return openGotenberg(render.url, createOwnerOutbound());
}

/** The renderer of office files. */
export type RenderOptions =
  /** URL of a service with Gotenberg's HTTP API. */
  | { readonly url: string }
  /** LibreOffice on this machine, in a sandbox. */
  | 'local'
  | false;

/**
 * Checks the option at run time, for callers without a type checker.
 * @throws the error that `wrong` returns for the problem.
 */
export function checkRenderOptions(render: unknown, wrong: (what: string) => Error): void {
  if (render === undefined || render === 'local' || render === false) return;
  const { url } = (render ?? {}) as { readonly url?: unknown };
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '' && parsed.search === '') return;
  throw wrong("render must be { url: 'http://gotenberg:3000' }, 'local' or false");
}
