import type { DeployErrorCode } from '@berth/contract';

/** The deploy that failed, and its deployment. */
export interface AdviceSubject {
  /** The deployment, when it is known. */
  readonly name: string | undefined;
  readonly deployId: string;
}

/** Returns what to do about a failed deploy, one hint a line. */
export function failureAdvice(code: DeployErrorCode, { name, deployId }: AdviceSubject): string[] {
  const logs = name === undefined ? [] : [`berth logs ${name}   shows what it printed`];
  const replay = `berth follow ${deployId}   shows all of this deploy again`;
  switch (code) {
    case 'archive_invalid':
      return ['Leave out what is not allowed with a .berthignore file, and deploy again.'];
    case 'build_failed':
      return [
        'Run the same commands in a fresh copy of the folder: what is not in the archive is not there.',
        'A berth.json with "build" and "start" says how, where Berth guesses wrong.',
        replay,
      ];
    case 'build_timeout':
      return ['Make the build shorter, or have the operator raise BERTH_BUILD_TIMEOUT.', replay];
    case 'start_failed':
      return ['It must stay running. Start it here with PORT=8080 set, to see it fail.', ...logs];
    case 'start_timeout':
    case 'port_not_open':
      return [
        'It must listen on 0.0.0.0 and the port in $PORT. If its port is fixed, deploy with --port and that port.',
        ...logs,
      ];
    case 'out_of_capacity':
      return ['Ask for less with --memory, or free room with `berth rm`.'];
    case 'cancelled':
      return ['What served before goes on serving.'];
    case 'internal':
      return ['This is a fault of the platform; its log has more.', replay];
  }
}
