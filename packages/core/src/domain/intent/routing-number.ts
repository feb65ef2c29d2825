/** Nine digits with the check digit of the American Bankers Association, as ACH names a bank. */
export function isRoutingNumber(text: string): boolean {
  if (!/^[0-9]{9}$/.test(text)) return false;
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (WEIGHTS[at % 3] ?? 0), 0);
  // Nine zeros add up too, and name no bank.
  return sum > 0 && sum % 10 === 0;
}

const WEIGHTS = [3, 7, 1];
