import DefaultTheme from 'vitepress/theme-without-fonts';
import Playground from './Playground.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Playground', Playground),
};
