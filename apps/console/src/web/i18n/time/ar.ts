import type { TimeMessages } from './en.js';

/** Texts of the time machine. */
export const arTime: TimeMessages = {
  time: {
    title: 'آلة الزمن',
    lead: 'تنقّل بين أحداث هذه الجلسة لترى كل شيء كما كان حينها.',
    slider: 'الخطوة',
    step: (at, of, type) => `الخطوة ${at} من ${of}: ${type}`,
    earlier: 'خطوة أسبق',
    later: 'خطوة لاحقة',
    latest: 'الأحدث',
    session: 'الجلسة',
    transaction: 'المعاملة',
    intents: 'محاولات الدفع',
    deliveries: 'عمليات التسليم في تلك اللحظة',
    nothingYet: 'لم يكن موجودًا بعد.',
    changed: (n) => `التغييرات: ${n}`,
    unchanged: 'دون تغيير',
    was: 'كان',
    added: 'مضاف',
    removed: 'محذوف',
    empty: 'لا أحداث لهذه الجلسة بعد.',
  },
  clock: {
    now: 'وقت بيئة الاختبار هذه',
    lead: 'تتحرك هذه البيئة وحدها، ولا يعود الوقت إلى الوراء.',
    due: 'المستحق التالي',
    nothing: 'لا يوجد شيء مستحق.',
  },
  forms: {
    export_test: {
      title: 'تصدير كاختبار',
      lead: 'اختبار لـ createTestGate يكرر ما حدث لهذه الجلسة ببيانات اختبار فقط.',
      submit: 'تصدير',
    },
    advance_clock: { title: 'تقديم الساعة', lead: 'كل ما يصبح مستحقًا في الطريق يُنفَّذ في وقته.', submit: 'تقديم' },
    advance_to_next: {
      title: 'الانتقال إلى المستحق التالي؟',
      lead: 'تنتقل الساعة إلى وقت العنصر التالي وتنفّذه.',
      submit: 'العنصر التالي',
    },
    advance_to_end: {
      title: 'التقديم حتى النهاية',
      lead: 'ينفّذ المستحق في بيئة الاختبار هذه عنصرًا بعد آخر حتى تنتهي الجلسة وتستقر عمليات تسليمها. لا يعود الوقت إلى الوراء.',
      submit: 'تقديم',
    },
  },
};
