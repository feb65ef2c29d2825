import type { enHome } from './en.js';

export const arHome: typeof enHome = {
  sessions: 'الجلسات خلال آخر 24 ساعة',
  deliveries: 'عمليات تسليم الويب هوك',
  endpoint: 'العنوان',
  recent: 'أحدث الجلسات',
  waiting: 'قيد الانتظار',
  dead: 'متروكة',
  deliveredToday: 'سُلِّمت، 24 ساعة',
  atLeast: (n) => `${n}+`,
  deadHint: 'اعرض عمليات التسليم المتروكة',
  alarms: {
    title: 'التنبيهات',
    evaluated: 'وقت التقييم',
    none: (n) => `لا يوجد تنبيه نشط من بين ${n} تنبيهًا أمكن تقييمها.`,
    notEvaluated: (n) => `${n} تنبيهًا لا تُقيَّم هنا`,
    notEvaluatedHint:
      'لا يُعرف شيء عن هذه التنبيهات. يقيّمها نظام المراقبة لديك بالقواعد الموجودة في ops/prometheus-rules.yaml.',
    quiet: (n) => `${n} تنبيهًا غير نشط`,
    name: 'التنبيه',
    condition: 'ينشط إذا',
    since: 'منذ',
    value: 'القيمة',
    covers: 'يشمل',
    installation: 'كل العمليات',
    process: 'هذه العملية فقط',
    states: { firing: 'نشط', pending: 'معلّق', quiet: 'غير نشط', not_evaluated: 'غير مقيَّم' },
    severities: { critical: 'حرج', warning: 'تحذير' },
    reasons: { needs_history: 'يحتاج إلى سجل نظام المراقبة', no_data: 'لا توجد قيمة هنا' },
  },
};
