/** The parts of the SDK that are needed at run time. */
export type A2aSdk = Pick<typeof import('@a2a-js/sdk'), 'AgentCard' | 'Role' | 'StreamResponse' | 'TaskState'> &
  Pick<typeof import('@a2a-js/sdk/server'), 'JsonRpcTransportHandler' | 'ServerCallContext' | 'validateVersion'> &
  Pick<
    typeof import('@a2a-js/sdk/errors'),
    'A2AError' | 'PushNotificationNotSupportedError' | 'RequestMalformedError'
  > &
  Pick<
    typeof import('@a2a-js/sdk/errors'),
    'TaskNotCancelableError' | 'TaskNotFoundError' | 'UnsupportedOperationError'
  >;

/** Loads the SDK, so that agents without the option don't pay for it. */
export async function loadA2aSdk(): Promise<A2aSdk> {
  const [{ AgentCard, Role, StreamResponse, TaskState }, server, errors] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/errors'),
  ]);
  return { ...server, ...errors, AgentCard, Role, StreamResponse, TaskState };
}
