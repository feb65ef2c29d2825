import { useEffect, useState } from 'preact/hooks';

/**
 * The time until an instant on this device's clock, in minutes and seconds, with hours if there are any. It is not announced each second,
 * only read on demand.
 */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <bdi role="timer" class="countdown">
      {clockText(seconds)}
    </bdi>
  );
}

function clockText(seconds: number): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
