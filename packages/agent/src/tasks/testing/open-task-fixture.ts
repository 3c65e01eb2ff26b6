import type { StoredTask, TaskStore } from '@berth/agent-store';
import { createSqlStores, openAgentSqlite } from '@berth/agent-store/sql';
import { createIdSource, createSilentLogger } from '@berth/kit';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import type { z } from 'zod';
import type { AgentRun, RunOptions } from '../../turns/agent-run.ts';
import { type OpenTaskEngine, openTasks } from '../open-tasks.ts';
import { createTaskDefinitions } from '../task-definitions.ts';
import type { TaskHandler, TaskOptions, TaskSettings } from '../task-types.ts';

/** Instances of one agent with one store and one clock, which stands still. */
export type TaskFixture = Awaited<ReturnType<typeof openTaskFixture>>;

/** Opens a fixture without tasks. */
export async function openTaskFixture() {
  const stores = createSqlStores(await openAgentSqlite(':memory:', createSilentLogger()));
  const clock = createFakeClock();
  const ids = createIdSource(clock.nowMs);
  const definitions = createTaskDefinitions();
  const lines: string[] = [];
  const opened: OpenTaskEngine[] = [];
  const runs: RunOptions[] = [];
  let count = 0;
  const start = async <Output>(options: RunOptions<Output>) => {
    runs.push(options);
    return {} as AgentRun<Output>;
  };
  return {
    clock,
    store: stores.tasks,
    definitions,
    /** The log of all instances. */
    lines,
    /** The turns that tasks have started. */
    runs,
    /** Defines a task. */
    define<Input extends z.ZodType = z.ZodUndefined>(
      name: string,
      options: TaskOptions<Input>,
      handler: TaskHandler<z.output<Input>>,
    ): void {
      definitions.task(name, options, handler);
    },
    /** Starts an instance, whose store may behave otherwise. */
    instance(changes: Partial<TaskStore> = {}, settings?: TaskSettings, replaced?: AbortSignal): OpenTaskEngine {
      const instance = openTasks({
        definitions,
        settings,
        store: { ...stores.tasks, ...changes },
        guard: { authenticator: undefined, registry: undefined, watch: undefined },
        run: start,
        runOnce: start,
        clock,
        ids,
        logger: createRecordingLogger(lines),
        instance: `instance-${++count}`,
        replaced,
      });
      opened.push(instance);
      return instance;
    },
    async find(id: string): Promise<StoredTask> {
      return (await stores.tasks.find({ all: true }, id)) as StoredTask;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((instance) => instance.close(0)));
      await stores.close();
    },
  };
}
