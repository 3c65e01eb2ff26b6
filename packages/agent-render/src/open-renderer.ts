import { createOwnerOutbound } from '@berth/agent-core';
import { openGotenberg } from './gotenberg/open-gotenberg.ts';
import type { RenderOptions } from './render-options.ts';
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
