import { useEffect, useState } from 'preact/hooks';

/**
 * Hours where there are any, minutes and seconds until an instant on this device's clock. Not announced each second: it
 * is there for a buyer who looks.
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
