/* cli/sim_page.h: the page that draws a simulated run; its data stand after the head. */
#ifndef RP_CLI_SIM_PAGE_H
#define RP_CLI_SIM_PAGE_H

extern const char rp__sim_page_head[], rp__sim_page_drawing[], rp__sim_page_tail[];

#endif
