import { Field } from '@berth/ui';
import type { ComponentProps } from 'react';
import { useConsoleTexts } from '../text/use-console-texts.ts';

type FieldProps = ComponentProps<typeof Field>;
type PersonFieldProps = Omit<FieldProps, 'label'> & Partial<Pick<FieldProps, 'label'>>;

/** Field for a name or a value of the API, which the browser neither completes nor corrects. */
export function CodeNameField(props: FieldProps) {
  return <Field autoComplete="off" spellCheck={false} dir="ltr" {...props} />;
}

/** Field for the name of a person. */
export function PersonNameField(props: PersonFieldProps) {
  const { t } = useConsoleTexts();
  return <Field label={t('firstRun.name')} name="name" autoComplete="name" required maxLength={100} {...props} />;
}

/** Field for the email address that a person signs in with. */
export function EmailField(props: PersonFieldProps) {
  const { t } = useConsoleTexts();
  return (
    <Field label={t('signIn.email')} type="email" name="email" autoComplete="username" required dir="ltr" {...props} />
  );
}

/** Field for the person's present password. */
export function PasswordField(props: PersonFieldProps) {
  const { t } = useConsoleTexts();
  const about = { type: 'password', name: 'password', autoComplete: 'current-password', required: true, dir: 'ltr' };
  return <Field label={t('signIn.password')} {...about} {...props} />;
}

/** Field for a password that the person chooses, 12 to 128 characters. */
export function NewPasswordField(props: PersonFieldProps) {
  const { t } = useConsoleTexts();
  const length = { hint: t('firstRun.passwordHint'), minLength: 12, maxLength: 128 };
  return <PasswordField autoComplete="new-password" {...length} {...props} />;
}
