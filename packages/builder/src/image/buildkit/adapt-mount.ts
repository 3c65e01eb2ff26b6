import { createError } from '@berth/contract';
import { copy } from './dockerfile-text.ts';

/** The replacement of a mount. */
export interface AdaptedMount {
  /** An instruction before the RUN; undefined if none is needed. */
  readonly before?: string;
  /** How the replacement differs from the mount, as a sentence; undefined if there is no visible difference. */
  readonly notice?: string;
}

/** Aliases of mount options. Source: docs.docker.com/reference/dockerfile, RUN --mount. */
const ALIASES: Readonly<Record<string, string>> = { src: 'source', dst: 'target', destination: 'target' };

/**
 * Replaces a mount of a RUN for the classic builder: mounted files are copied before the RUN, and caches are ordinary
 * folders.
 * @param value of the flag, such as `type=bind,source=package.json,target=package.json`.
 * @throws BerthError `build_failed` for a mount without a replacement.
 */
export function adaptMount(value: string, shown: string): AdaptedMount {
  const refuse = (why: string) => createError('build_failed', `${shown}: ${why}`);
  const options = new Map(
    value.split(',').map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const key = name.trim().toLowerCase();
      return [ALIASES[key] ?? key, rest.join('=')] as const;
    }),
  );
  const type = options.get('type') ?? 'bind';
  const from = options.get('from');
  switch (type) {
    case 'tmpfs':
      return {};
    case 'cache':
      if (from !== undefined || options.has('source')) {
        throw refuse('a cache mount with "from" is not supported. COPY the files before it.');
      }
      return {
        notice:
          'RUN --mount=type=cache is an ordinary folder: its contents are part of the step and not kept for the next build. Unchanged steps are cached',
      };
    case 'secret':
    case 'ssh':
      if (/^(true|1|)$/.test(options.get('required') ?? 'false')) {
        throw refuse(`builds have no secrets here, and --mount=type=${type} requires one.`);
      }
      return { notice: `RUN --mount=type=${type} is empty: builds have no secrets` };
    case 'bind': {
      const target = options.get('target');
      if (!target) throw refuse('--mount=type=bind has no target.');
      const source = options.get('source') || (from === undefined ? '.' : '/');
      const flags = from === undefined ? [] : [`--from=${from}`];
      return {
        before: copy([from === undefined ? source.replace(/^\/+/, '') || '.' : source], target, ...flags),
        notice: 'RUN --mount=type=bind is replaced with COPY: the mounted files stay in the image of the stage',
      };
    }
    default:
      throw refuse(`--mount=type=${type} is not supported.`);
  }
}
