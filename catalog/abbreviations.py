"""Short forms that identifiers are made of, and the words they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_CLEAR = """
acc=account acct=account addr=address adj=adjustment agmt=agreement amt=amount appr=approval
approx=approximate appt=appointment assgn=assignment assoc=association attr=attribute
avail=availability avg=average bal=balance bldg=building bnk=bank btn=button calc=calculate
cand=candidate cd=code cert=certificate cfg=configuration chan=channel chg=change chk=check
chnl=channel clm=claim cmd=command cmp=company cmpgn=campaign cmpl=complaint cmt=comment cnt=count
cntct=contact cntry=country comm=communication config=configuration cpny=company crt=create
ctc=contact ctry=country cur=currency curr=current cust=customer del=delete dep=department
dept=department desc=description dest=destination dlv=delivery dlvr=delivery dlvy=delivery
doc=document dst=destination dt=date dup=duplicate eff=effective eml=email
emp=employee err=error eval=evaluation evt=event ext=external fld=field fmt=format fname=firstname
fwd=forward grp=group hdr=header hist=history hrs=hours id=identifier ind=indicator
inf=information info=information inq=inquiry invc=invoice iss=issue itm=item ivc=invoice
kw=keyword lang=language lbl=label lim=limit ln=line loc=location lst=list lvl=level
mgmt=management mgr=manager mgt=management msg=message mst=master mth=month mvt=movement
nbr=number nm=name no=number nr=number nt=note ntf=notification ntwk=network num=number obj=object
opr=operator org=organization orig=original param=parameter pct=percent pers=person phn=phone
pkg=package pmnt=payment pmt=payment prc=price pref=preference prev=previous prio=priority
prj=project prob=problem proc=process prod=product proj=project prty=priority pwd=password
pwr=power pymt=payment qry=query qty=quantity qual=quality rcpt=receipt rcv=receive rcvd=received
recv=receive ref=reference repo=repository resp=response rgn=region rpt=report rqst=request
rsn=reason rtn=return sched=schedule seg=segment seq=sequence sess=session shp=shipment
shpmt=shipment src=source srv=server st=status stk=stock sts=status subj=subject
subs=subscription subst=substitute sup=supplier supp=supplier svc=service sys=system tel=telephone
terr=territory thr=threshold tkt=ticket tm=time tmp=temporary tmpl=template tot=total trf=transfer
trk=tracking trn=transaction trx=transaction txn=transaction txt=text typ=type unsub=unsubscribe
upc=barcode upd=update usr=user vac=vacation vch=voucher veh=vehicle vend=vendor vld=valid
vndr=vendor whs=warehouse whse=warehouse wkly=weekly wrk=work xchg=exchange xfer=transfer yr=year
yrly=yearly
"""
_POSSIBLE = """
abs=absolute acct=accounting alloc=allocation app=application appl=application apt=appointment
arr=array art=article auth=authentication auth=authorization avail=available cal=calendar
cat=category col=column cont=contact cont=contract coord=coordinate crd=credit cred=credit
db=database dec=decision def=default dev=device dir=directory dir=direction disc=discount
disc=discipline dist=distance div=division dur=duration env=environment est=estimate
est=estimation exc=exception exec=execute exp=expiry exp=expense fin=finance freq=frequency
frm=from gen=generate gen=general geo=geography hr=hour img=image imp=import imp=impact
init=initialize init=initial inst=instance int=internal intl=international inv=invoice
inv=inventory lib=library max=maximum min=minimum min=minute misc=miscellaneous mod=modify
mod=modified mov=movement notif=notification opp=opportunity opt=option ord=order ord=ordinal
org=organisation own=owner pay=payment per=period perf=performance perm=permission ph=phone
pos=position proc=procedure proc=procurement prod=production prof=profile prof=professional
promo=promotion prop=property prov=provider pt=point rec=record ref=referral
reg=registration reg=region rel=related rel=relation rem=remove rem=remark rep=representative
rep=report req=request res=resource res=result res=reservation ret=return rev=revenue rev=review
rev=revision sal=salary sec=security sel=select sig=signature spec=specification srv=service
stat=statistics std=standard sub=subscription sub=subject sum=summary tech=technical
temp=temperature temp=temporary trans=transaction trans=translate tx=transaction val=value
val=validate vat=tax ver=version vol=volume wh=warehouse wk=week
rma=return eta=arrival ean=barcode nps=satisfaction vat=tax sku=item stat=status gtin=barcode
ptn=partner po=purchase fx=exchange
"""


_ALSO_WORDS = frozenset(
    "abs app art col dev est max min own pay per pos rem rep res sec sub sum temp trans vol exec "
    "imp promo prop".split()
)
"""Short forms that are words, or so usual that they are read as words."""


def _pairs(table: str) -> Iterator[tuple[str, str]]:
    for pair in table.split():
        short, _, full = pair.partition("=")
        yield short, full


def _all_readings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for short, full in (*_pairs(_CLEAR), *_pairs(_POSSIBLE)):
        found[short] = (*found.get(short, ()), full)
    return found


CLEAR: dict[str, str] = dict(_pairs(_CLEAR))
"""Short forms that are no words of their own and nearly always mean the same."""
READINGS = _all_readings()
"""All that a short form may stand for, the likeliest first."""


def expanded(word: str) -> str:
    """The word that a clear short form stands for, or the word itself."""
    return CLEAR.get(word, word)


def written_out(word: str) -> str:
    """As `expanded`, also where a short form has a single reading and is no word of its own."""
    found = READINGS.get(word, ())
    if word in CLEAR or len(found) != 1 or word in _ALSO_WORDS:
        return expanded(word)
    return found[0]


def is_ambiguous(word: str) -> bool:
    """A short form that stands for several things, or nobody knows for what."""
    return word in READINGS and word not in CLEAR and word not in _ALSO_WORDS


def spelled_out(words: Iterable[str]) -> list[str]:
    """The words, each clear short form replaced by what it means."""
    return [CLEAR.get(word, word) for word in words]


def readings(words: Iterable[str]) -> list[str]:
    """What the short forms among the words may stand for."""
    return [full for word in words for full in READINGS.get(word, ())]


def may_abbreviate(short: str, word: str) -> bool:
    """Whether `short` could be cut from `word`: same first letter, letters in order, shorter.

    `cmpl` from complaint, `prc` from price; one letter is no abbreviation of anything.
    """
    if word in READINGS.get(short, ()):
        return True
    if not 2 <= len(short) < len(word) or short[0] != word[0]:
        return False
    rest = iter(word)
    return all(letter in rest for letter in short)
