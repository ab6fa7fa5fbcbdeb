"""Short forms that identifiers are made of, and what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_CLEAR = """
acct=account addr=address agmt=agreement amt=amount appt=appointment assoc=association
attr=attribute avail=availability avg=average bal=balance btn=button calc=calculate
cfg=configuration chg=change chk=check cmd=command cmt=comment cnt=count config=configuration
ctry=country curr=current cust=customer del=delete dept=department desc=description
dest=destination doc=document emp=employee err=error fwd=forward grp=group hist=history img=image
info=information init=initialize lang=language loc=location lst=list mgmt=management mgr=manager
msg=message mth=month nbr=number num=number obj=object org=organization orig=original
param=parameter pct=percent phn=phone pkg=package pmt=payment pref=preference prev=previous
proc=process prod=product proj=project pwd=password qry=query qty=quantity rcpt=receipt
recv=receive ref=reference reg=registration repo=repository req=request resp=response rpt=report
sched=schedule seq=sequence sess=session shp=shipment spec=specification src=source srv=server
stk=stock sts=status subj=subject sup=supplier svc=service sys=system tel=telephone tkt=ticket
tmpl=template tot=total trk=tracking txn=transaction unsub=unsubscribe upd=update usr=user
veh=vehicle vend=vendor whse=warehouse xfer=transfer yr=year
"""
_POSSIBLE = """
abs=absolute alloc=allocation app=application appl=application apt=appointment auth=authentication
cal=calendar col=column cont=contact coord=coordinate cur=currency db=database dev=device
dir=directory disc=discount dist=distance div=division dur=duration env=environment est=estimate
exec=execute exp=expiry ext=external fin=finance freq=frequency gen=generate geo=geography hr=hour
imp=import inst=instance intl=international inv=invoice itm=item lib=library lim=limit min=minimum
max=maximum misc=miscellaneous mod=modify notif=notification opp=opportunity opt=option ord=order
perf=performance perm=permission pos=position prof=profile promo=promotion prop=property
prov=provider rec=record rel=related rem=remove rep=representative res=resource ret=return
rev=revenue sal=salary sec=security seg=segment sel=select sig=signature stat=status std=standard
sub=subscription sum=summary tech=technical temp=temperature trans=transaction typ=type val=value
ver=version vol=volume wh=warehouse wk=week acct=accounting auth=authorization cont=contract
disc=discipline est=estimation exp=expense gen=general imp=impact inv=inventory min=minute
ord=ordinal org=organisation proc=procedure proc=procurement prod=production prof=professional
ref=referral rel=relation rep=report res=result rev=review st=status stat=statistics sub=subject
temp=temporary trans=translate val=validate
"""


def _pairs(table: str) -> Iterator[tuple[str, str]]:
    for pair in table.split():
        short, _, full = pair.partition("=")
        yield short, full


CLEAR: dict[str, str] = dict(_pairs(_CLEAR))
"""Short forms that are no words of their own and nearly always mean the same."""


def _all_readings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for short, full in (*_pairs(_CLEAR), *_pairs(_POSSIBLE)):
        found[short] = (*found.get(short, ()), full)
    return found


READINGS = _all_readings()


def spelled_out(words: Iterable[str]) -> list[str]:
    """The words, each clear short form replaced by what it means."""
    return [CLEAR.get(word, word) for word in words]


def readings(words: Iterable[str]) -> list[str]:
    """What the short forms among the words may stand for."""
    return [full for word in words for full in READINGS.get(word, ())]
