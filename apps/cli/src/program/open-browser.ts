import { spawn } from 'node:child_process';

/** Facts about the desktop for {@link openBrowser}. */
export interface Desktop {
  /** `process.platform`. */
  readonly platform: string;
  /** True when there is an X or Wayland display; used on Linux and the BSDs only. */
  readonly hasDisplay: boolean;
}

/**
 * Opens a web address in the desktop's browser. Returns false without a desktop or a program for it, and for an address that isn't http
 * or https, which the program could take for a file or an option.
 */
export async function openBrowser(url: string, desktop: Desktop): Promise<boolean> {
  const opener = openerOf(desktop);
  if (!opener || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(opener[0], [...opener.slice(1), new URL(url).href], { detached: true, stdio: 'ignore' });
  child.once('error', () => resolve(false));
  child.once('spawn', () => resolve(true));
  child.unref();
  return promise;
}

function openerOf({ platform, hasDisplay }: Desktop): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return hasDisplay ? ['xdg-open'] : undefined;
}
