import type { DeployFields } from '@berth/client';
import { Field } from '@berth/ui';
import { CodeNameField } from '../../../components/fields.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Form values of the requests that a new revision gets. */
export interface TrafficDraft {
  /** 0 for none, 1–99 for a canary, and 100 for all. */
  readonly percent: string;
  /** Empty for none. */
  readonly tag: string;
}

export const ALL_TRAFFIC: TrafficDraft = { percent: '100', tag: '' };

/** Returns the deploy fields of a draft. */
export function toTrafficFields({ percent, tag }: TrafficDraft): Partial<DeployFields> {
  return {
    ...(percent === '100' ? {} : percent === '0' ? { no_traffic: true } : { canary: percent }),
    ...(tag === '' ? {} : { tag }),
  };
}

/** Returns the flags of `berth deploy` for a draft. */
export function toTrafficFlags({ percent, tag }: TrafficDraft): string[] {
  return [
    ...(percent === '100' ? [] : percent === '0' ? ['--no-traffic'] : ['--canary', percent]),
    ...(tag === '' ? [] : ['--tag', tag]),
  ];
}

interface TrafficFieldsProps {
  readonly draft: TrafficDraft;
  onChange(draft: TrafficDraft): void;
  readonly problems: Readonly<Record<string, string>>;
}

/** Form fields for the share and the tag of a new revision. */
export function TrafficFields({ draft, onChange, problems }: TrafficFieldsProps) {
  const { t } = useConsoleTexts();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label={t('deployment.traffic.share')}
        type="number"
        min={0}
        max={100}
        hint={t('deploy.shareHint')}
        problem={problems['canary']}
        value={draft.percent}
        onChange={(percent) => onChange({ ...draft, percent })}
      />
      <CodeNameField
        label={t('deploy.tag')}
        hint={t('deploy.tagHint')}
        autoCapitalize="none"
        problem={problems['tag']}
        value={draft.tag}
        onChange={(tag) => onChange({ ...draft, tag })}
      />
    </div>
  );
}
