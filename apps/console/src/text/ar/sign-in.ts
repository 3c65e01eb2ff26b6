import type { Translation } from '@berth/ui';
import type { signIn as source } from '../en/sign-in.ts';

export const signIn: Translation<typeof source> = {
  'signIn.title': 'تسجيل الدخول إلى Berth',
  'signIn.email': 'البريد الإلكتروني',
  'signIn.password': 'كلمة المرور',
  'signIn.submit': 'تسجيل الدخول',
  'signIn.none': 'ليس لديك حساب بعد؟ من يدير هذه المنصة يمنحك واحدًا.',
  'signIn.again.title': 'انتهت جلستك',
  'signIn.again.text': 'سجّل الدخول مجددًا للمتابعة. لم يضع شيء مما كتبته.',
  'firstRun.title': 'مرحبًا بك في Berth',
  'firstRun.text': 'أنت الأول هنا. اختر كيف ستسجّل الدخول؛ لهذا الحساب كل الصلاحيات على هذه المنصة.',
  'firstRun.name': 'اسمك',
  'firstRun.passwordHint': '12 حرفًا على الأقل. بضع كلمات يسهل تذكرها ويصعب تخمينها.',
  'firstRun.submit': 'إنشاء الحساب',
  'firstRun.noLink.title': 'هذا الرابط ناقص',
  'firstRun.noLink.text': 'افتح الرابط الذي طبعه Berth عند بدئه، مع كل ما يأتي بعد #. إعادة التشغيل تطبع رابطًا جديدًا.',
};
