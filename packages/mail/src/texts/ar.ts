import type { LetterTexts } from './letter.ts';

const ROLES = { owner: 'مالك', admin: 'مسؤول', member: 'عضو' } as const;

/** The letters in Arabic. */
export const AR: LetterTexts = {
  test: () => ({
    subject: 'رسالة تجريبية من Berth',
    paragraphs: ['يستطيع هذا الخادم إرسال البريد الإلكتروني.'],
  }),
  invite: ({ account, inviter, role, link }) => ({
    subject: `دعوة للانضمام إلى ${account} على Berth`,
    paragraphs: [
      inviter === null
        ? `أنت مدعو للانضمام إلى ${account} بدور ${ROLES[role]}.`
        : `دعاك ${inviter} للانضمام إلى ${account} بدور ${ROLES[role]}.`,
    ],
    action: { label: 'قبول الدعوة', link },
    closing: 'يعمل الرابط مرة واحدة خلال سبعة أيام. إذا لم تتوقع هذه الدعوة فتجاهل هذه الرسالة.',
  }),
  password_reset: ({ name, link }) => ({
    subject: 'إعادة تعيين كلمة مرورك في Berth',
    paragraphs: [`مرحبًا ${name}،`, 'طُلبت إعادة تعيين كلمة مرورك في Berth. استخدم هذا الرابط لتعيين كلمة مرور جديدة.'],
    action: { label: 'تعيين كلمة مرور جديدة', link },
    closing:
      'يعمل الرابط مرة واحدة خلال ساعة، ويسجّل خروجك من كل مكان. إذا لم تطلبه فتجاهل هذه الرسالة: تبقى كلمة مرورك كما هي.',
  }),
  email_change: ({ name, link }) => ({
    subject: 'تأكيد عنوان بريدك الإلكتروني الجديد',
    paragraphs: [`مرحبًا ${name}،`, 'استخدم هذا الرابط لتسجيل الدخول إلى Berth بهذا العنوان من الآن فصاعدًا.'],
    action: { label: 'تأكيد هذا العنوان', link },
    closing: 'يعمل الرابط مرة واحدة خلال ساعة. إذا لم تطلب هذا التغيير فتجاهل هذه الرسالة.',
  }),
  email_changed: ({ name, newAddress }) => ({
    subject: 'تغيّر عنوان بريدك الإلكتروني في Berth',
    paragraphs: [
      `مرحبًا ${name}،`,
      `تسجّل الدخول إلى Berth الآن بالعنوان ${newAddress}. لم يعد هذا العنوان صالحًا.`,
      'إذا لم تُجرِ هذا التغيير فتواصل فورًا مع أحد مالكي حسابك.',
    ],
  }),
  new_sign_in: ({ name, device, address, atMs, link }) => ({
    subject: 'تسجيل دخول جديد إلى Berth',
    paragraphs: [
      `مرحبًا ${name}،`,
      'سُجّل دخول من جهاز أو شبكة لم تستخدمهما من قبل.',
      `الجهاز: ${device ?? 'غير معروف'}`,
      `عنوان IP: ${address ?? 'غير معروف'}`,
      `الوقت: ${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ],
    action: { label: 'مراجعة جلساتك', link },
    closing: 'إذا كنت أنت فلا يلزم شيء. وإلا فسجّل خروج تلك الجلسة وغيّر كلمة مرورك.',
  }),
  alert: ({ title, state, message, link }) => ({
    subject: `${{ firing: 'تنبيه', resolved: 'انتهى التنبيه', test: 'تنبيه تجريبي' }[state]}: ${title}`,
    paragraphs: [message],
    action: { label: 'فتح لوحة التحكم', link },
  }),
};
