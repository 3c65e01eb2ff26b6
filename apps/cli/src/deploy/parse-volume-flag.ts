import type { VolumeTarget } from '@berth/client';
import { UsageError } from '../errors/usage-error.ts';

/**
 * Parses `--volume /path=name[:ro][:sub/path]`. `:rw` may replace `:ro`, for a sub path named `ro`. Names and paths are validated with the
 * rest of the form.
 * @throws UsageError for text in another format
 */
export function parseVolumeFlag(text: string): readonly [mountPath: string, target: VolumeTarget] {
  const at = text.indexOf('=');
  const [name = '', ...rest] = at === -1 ? [] : text.slice(at + 1).split(':');
  if (at < 1 || name === '') {
    throw new UsageError(`--volume: "${text}" is not /path=name, /path=name:ro or /path=name:sub/path`);
  }
  const mode = rest[0] === 'ro' || rest[0] === 'rw' ? rest.shift() : undefined;
  const subPath = rest.join(':');
  const target =
    mode !== 'ro' && subPath === ''
      ? name
      : { name, ...(mode === 'ro' ? { read_only: true } : {}), ...(subPath === '' ? {} : { sub_path: subPath }) };
  return [text.slice(0, at), target];
}
