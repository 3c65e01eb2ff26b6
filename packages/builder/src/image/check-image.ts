import { createError } from '@berth/contract';

/** The fields of an image's configuration that decide how it runs. Source: Docker Engine API 1.41, ImageInspect. */
export interface ImageConfig {
  readonly Cmd?: readonly string[] | null | undefined;
  readonly Entrypoint?: readonly string[] | string | null | undefined;
  readonly ExposedPorts?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Returns hints about probable mistakes in an image.
 * @throws BerthError `build_failed` when the image has no command to start.
 */
export function checkImage(config: ImageConfig, port: number | undefined): string[] {
  if (!config.Cmd?.length && !config.Entrypoint?.length) {
    throw createError(
      'build_failed',
      'The image has neither CMD nor ENTRYPOINT, so it has no start command. Add a CMD to the Dockerfile',
    );
  }
  const exposed = Object.keys(config.ExposedPorts ?? {})
    .filter((each) => !each.endsWith('/udp'))
    .map((each) => Number.parseInt(each, 10));
  if (port === undefined || exposed.length === 0 || exposed.includes(port)) return [];
  return [
    `The image exposes ${exposed.join(', ')}, but requests are sent to ${port}: listen on $PORT, or deploy with port ${exposed[0]}`,
  ];
}
