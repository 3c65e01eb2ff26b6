import type { DeploymentDetail, SetTrafficRequest, Traffic } from '@berth/contract';
import { Button, Dialog, Field, Form, FormActions } from '@berth/ui';
import { useState } from 'react';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { CodeNameField } from '../../components/fields.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface TrafficDialogProps {
  readonly deployment: Pick<DeploymentDetail, 'name' | 'revision'>;
  readonly traffic: Traffic;
  readonly revision: string;
  onClose(): void;
}

/** Dialog for the share and the tags of a revision. The live one has what the others leave, and a canary's share is its deploy's. */
export function TrafficDialog({ deployment, traffic, revision, onClose }: TrafficDialogProps) {
  const { t } = useConsoleTexts();
  const [percent, setPercent] = useState(String(shareOf(traffic, revision)));
  const [tags, setTags] = useState(tagsOf(traffic, revision).join(' '));
  const canShare = revision !== deployment.revision && traffic.canary === null;
  const body = toRequest(deployment, traffic, revision, canShare ? Number(percent) : undefined, tags);
  const save = useAction((client) => client.post('/v1/deployment/traffic', { body }), {
    refreshes: [QUERY_KEYS.deployment(deployment.name)],
    onDone: onClose,
  });
  return (
    <Dialog
      command={{ cli: toCommand(body), http: { method: 'POST', path: '/v1/deployment/traffic', body } }}
      title={t('deployment.traffic.title', { revision })}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => save.mutate()} error={save.error}>
        {canShare && (
          <Field
            label={t('deployment.traffic.share')}
            name="percent"
            type="number"
            min={0}
            max={100}
            required
            hint={t('deployment.traffic.shareHint')}
            value={percent}
            onChange={setPercent}
          />
        )}
        <CodeNameField
          label={t('deployment.traffic.tags')}
          name="tags"
          hint={t('deployment.traffic.tagsHint')}
          autoCapitalize="none"
          value={tags}
          onChange={setTags}
        />
        <FormActions>
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {t('account.save')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** Returns the percentage of the requests that a revision gets. */
export function shareOf({ split }: Traffic, revision: string): number {
  return split.find((one) => one.revision === revision)?.percent ?? 0;
}

function tagsOf({ tags }: Traffic, revision: string): string[] {
  return tags.filter((one) => one.revision === revision).map(({ tag }) => tag);
}

/** Returns the request that changes what was edited, and nothing else. */
function toRequest(
  { name, revision: live }: TrafficDialogProps['deployment'],
  traffic: Traffic,
  revision: string,
  percent: number | undefined,
  text: string,
): SetTrafficRequest {
  const before = tagsOf(traffic, revision);
  const tags = text.split(/\s+/).filter((tag) => tag !== '');
  const added = tags.filter((tag) => !before.includes(tag));
  const others = traffic.split.filter((one) => one.revision !== live && one.revision !== revision);
  const isShared = percent !== undefined && percent !== shareOf(traffic, revision);
  return {
    name,
    ...(isShared && {
      split: Object.fromEntries([...others, { revision, percent }].map((one) => [one.revision, one.percent])),
    }),
    set_tags: Object.fromEntries(added.map((tag) => [tag, revision])),
    remove_tags: before.filter((tag) => !tags.includes(tag)),
  };
}

function toCommand({ name, split = {}, set_tags: setTags = {}, remove_tags: removed = [] }: SetTrafficRequest): string {
  const flags = [
    ...Object.entries(split).map(([revision, percent]) => `--to ${revision}=${percent}`),
    ...Object.entries(setTags).map(([tag, revision]) => `--tag ${tag}=${revision}`),
    ...removed.map((tag) => `--untag ${tag}`),
  ];
  return ['npx berth traffic', name, ...flags].join(' ');
}
