// SPDX-License-Identifier: BSD-3-Clause
// Shows one slide at a time. Keys: arrows, space, Page Up and Page Down, Home, End; a click
// or a touch on the left half shows the previous slide, on the right half the next one.
(function () {
  'use strict';
  const slides = Array.from(document.querySelectorAll('section'));
  let current = 0;

  function show(number) {
    current = Math.min(Math.max(number, 0), slides.length - 1);
    slides.forEach((slide, i) => slide.classList.toggle('current', i === current));
    history.replaceState(null, '', '#' + (current + 1));
  }

  function scale() {
    const factor = Math.min(window.innerWidth / 1280, window.innerHeight / 720);
    document.body.style.setProperty('--scale', factor);
  }

  function fromAddress() {
    show((parseInt(location.hash.slice(1), 10) || 1) - 1);
  }

  const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, ArrowUp: -1,
    PageUp: -1, Home: -slides.length, End: slides.length };

  slides.forEach((slide, i) => { slide.dataset.number = (i + 1) + ' / ' + slides.length; });
  document.addEventListener('keydown', event => {
    if (event.key in steps && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      show(current + steps[event.key]);
    }
  });
  document.addEventListener('click', event => {
    if (!event.target.closest('a') && String(window.getSelection()) === '') {
      show(current + (event.clientX < window.innerWidth / 2 ? -1 : 1));
    }
  });
  window.addEventListener('resize', scale);
  window.addEventListener('hashchange', fromAddress);
  document.body.classList.add('show');
  scale();
  fromAddress();
})();
