import { Check, CircleX, LoaderCircle } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { Stage } from '../state/deploy-stages.ts';
import { useDeployWords } from './use-deploy-words.ts';
import { useNow } from './use-now.ts';

/** Stages of a deploy, each with its last message and its duration. */
export function StageList({ stages }: { readonly stages: readonly Stage[] }) {
  const { t } = useConsoleTexts();
  const words = useDeployWords();
  const isRunning = stages.at(-1)?.endedAtMs === undefined && stages.length > 0;
  const nowMs = useNow(isRunning);
  return (
    <ol className="flex flex-col gap-2">
      {stages.map((stage) => (
        <li key={stage.beganAtMs + stage.status} className="flex items-baseline gap-2">
          <StageIcon stage={stage} />
          <span className="font-medium">{t(`deploy.stage.${stage.status}`)}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate text-ink-soft" title={stage.message}>
            {stage.message}
          </span>
          <span className="shrink-0 text-ink-soft">
            {words.duration((stage.endedAtMs ?? nowMs) - stage.beganAtMs, stage.endedAtMs !== undefined)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function StageIcon({ stage: { endedAtMs, hasFailed } }: { readonly stage: Stage }) {
  if (hasFailed) return <CircleX aria-hidden className="size-3.5 shrink-0 self-center text-bad" />;
  if (endedAtMs !== undefined) return <Check aria-hidden className="size-3.5 shrink-0 self-center text-good" />;
  return <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin self-center text-accent" />;
}
