import type { Client } from '@berth/client';
import { useTell } from '@berth/ui';
import { type QueryKey, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from './console-context.ts';

/** The steps that follow an action, in this order. */
export interface ActionOptions<Answer, Input = void> {
  /** Keys of the data that the action changes. They are reloaded before the other steps run. */
  readonly refreshes?: readonly QueryKey[] | undefined;
  /** Text of the toast. */
  readonly said?: ((answer: Answer, input: Input) => string) | undefined;
  readonly onDone?: ((answer: Answer, input: Input) => unknown) | undefined;
}

/** Returns a mutation that calls `run`. Its error stays until the next run. */
export function useAction<Answer, Input = void>(
  run: (client: Client, input: Input) => Promise<Answer>,
  { refreshes = [], said, onDone }: ActionOptions<Answer, Input> = {},
): UseMutationResult<Answer, Error, Input> {
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  return useMutation({
    mutationFn: (input: Input) => run(client, input),
    async onSuccess(answer, input) {
      await Promise.all(refreshes.map((queryKey) => queries.invalidateQueries({ queryKey })));
      if (said) tell(said(answer, input));
      await onDone?.(answer, input);
    },
  });
}
