#include <stdlib.h>
struct n { struct n *next; long k; };
struct n *volatile head;
int main(void){ for(long i=0;i<100;i++){ struct n*p=malloc(sizeof *p); p->k=i; p->next=head; head=p; } long s=0; for(struct n*p=head;p;p=p->next) s+=p->k; return s!=4950; }
