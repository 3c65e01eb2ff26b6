import { DEPLOY_ERROR_CODES, type DeployEvent, deployEventSchema } from '@berth/contract';
import { z } from 'zod';
import { MCP_LIMITS } from '../tool/limits.ts';
import type { ToolContext, ToolResult } from '../tool/tool.ts';

/** The output of tools that deploy. */
export const deployResultSchema = z.object({
  deploy_id: z.string(),
  status: z.enum(['running', 'done', 'failed']).describe('running: it continues; call get_deploy'),
  message: z.string(),
  url: deployEventSchema.shape.url.describe('Address of the service, when done'),
  revision: deployEventSchema.shape.revision,
  code: z.enum(DEPLOY_ERROR_CODES).optional().describe('The reason, when failed'),
  output: z.array(z.string()).describe('Last lines of the output of the build, or of the service when it failed'),
});

type DeployResult = z.infer<typeof deployResultSchema>;

/** Options of {@link followDeploy}. */
export interface FollowDeployOptions {
  readonly waitSeconds: number;
  readonly context: ToolContext;
  /** Known before the first event. */
  readonly deployId?: string;
}

/**
 * Follows a deploy to its end, or until the time is over, and reports its steps. The time begins with the first event unless the deploy
 * is known, so that an upload isn't cut off.
 */
export async function followDeploy(
  open: (signal: AbortSignal) => AsyncGenerator<DeployEvent>,
  { waitSeconds, context, deployId }: FollowDeployOptions,
): Promise<ToolResult<DeployResult>> {
  const { clock, signal, report } = context;
  const late = new AbortController();
  const startTimer = () => clock.setTimer(waitSeconds * 1_000, () => late.abort());
  let timer = deployId === undefined ? undefined : startTimer();
  let result: DeployResult = { deploy_id: deployId ?? '', status: 'running', message: '', output: [] };
  const lines: string[] = [];
  try {
    for await (const event of open(AbortSignal.any([signal, late.signal]))) {
      timer ??= startTimer();
      if (event.log) lines.push(event.message.slice(0, MCP_LIMITS.messageCharacters));
      if (lines.length > MCP_LIMITS.outputLines) lines.shift();
      result = toResult(event, result);
      if (event.message !== '') await report(event.message);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!late.signal.aborted) throw error;
  } finally {
    timer?.cancel();
  }
  const fields = { ...result, output: result.output.length > 0 ? result.output : lines };
  return { fields, failure: result.status === 'failed' ? describeFailure(result) : undefined };
}

function toResult(event: DeployEvent, before: DeployResult): DeployResult {
  const { deploy_id, message, url, revision, code, logs } = event;
  if (event.status === 'DONE') return { deploy_id, status: 'done', message, url, revision, output: [] };
  if (event.status === 'ERROR') {
    const output = (logs ?? []).slice(-MCP_LIMITS.outputLines);
    return { deploy_id, status: 'failed', message, ...(code && { code }), output };
  }
  return { ...before, deploy_id, message: event.log ? before.message : message };
}

function describeFailure({ code, message, output }: DeployResult): string {
  const lines = output.length > 0 ? `\nLast lines of output:\n${output.join('\n')}` : '';
  return `${code ?? 'failed'}: ${message}${lines}\nCorrect the cause, then deploy again. A previous revision keeps serving.`;
}
