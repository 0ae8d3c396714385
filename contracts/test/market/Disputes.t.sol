// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IJury} from "../../src/interfaces/IJury.sol";
import {ICredits} from "../../src/interfaces/ICredits.sol";
import {IMarketDisputes as D} from "../../src/interfaces/IMarketDisputes.sol";
import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {Vm} from "../TestBase.sol";
import {MarketFixture} from "./MarketFixture.sol";

contract DisputesTest is MarketFixture {
    uint256 internal id;

    function test_TakesABondAndDrawsByALaterBlock() public {
        _answered();
        vm.expectEmit(address(market));
        emit D.GameDisputed(id, BOB, uint64(block.number + 2));
        uint256 before = token.balanceOf(BOB);
        vm.prank(BOB);
        market.dispute(id);
        vm.assertEq(before - token.balanceOf(BOB), BOND);
        D.DisputeView memory state = market.disputeOf(id);
        vm.assertEq(state.disputer, BOB);
        vm.assertEq(state.openedAtSec, block.timestamp);
        vm.assertFalse(state.drawn);
        vm.expectRevert(abi.encodeWithSelector(D.PredictionMarket_NoSeed.selector, state.seedBlock, block.number));
        market.drawCommittee(id);
        vm.roll(state.seedBlock + 1);
        vm.recordLogs();
        market.drawCommittee(id);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        state = market.disputeOf(id);
        vm.assertTrue(state.drawn);
        vm.assertEq(logs[0].topics[0], D.CommitteeDrawn.selector);
        vm.assertEq(logs[0].topics[1], bytes32(id));
        vm.assertEq(abi.decode(logs[0].data, (bytes32[])), state.committee);
        vm.assertEq(state.committee.length, 5);
        for (uint256 i = 0; i < 5; ++i) {
            for (uint256 j = 0; j < i; ++j) vm.assertTrue(state.committee[i] != state.committee[j]);
        }
    }

    function test_DrawsNobodyWhoHasAPartInTheGame() public {
        id = openGame(1, 2);
        betAs(ALICE, id, 0, 1e18);
        for (uint256 i = 0; i < 2; ++i) {
            fund(seatAccount(i));
            betAs(seatAccount(i), id, 1, 1e18);
        }
        book.speak(seatKeys[2], JUDGE);
        book.speak(seatKeys[3], BOB);
        book.speak(seatKeys[4], address(0));
        answerGame(id);
        _drawn();
        bytes32[] memory committee = market.disputeOf(id).committee;
        vm.assertEq(committee.length, 2);
        for (uint256 i = 0; i < 2; ++i) {
            vm.assertTrue(committee[i] == seatKeys[5] || committee[i] == seatKeys[6]);
        }
    }

    function test_DrawsNobodyWhoBetThroughAPeer() public {
        id = openGame(1, 2);
        string memory peerId = "seat's other peer";
        bytes32 other = keccak256(bytes(peerId));
        book.speak(other, seatAccount(0));
        vm.prank(ALICE);
        prg.deposit(peerId, seatAccount(0), 2e18);
        vm.prank(seatAccount(0));
        prg.guessAnswer(id, peerId, 0, 0, 1e18);
        vm.assertTrue(market.hasBet(id, seatAccount(0)));
        // A peer that bet and then moved to another account is not drawn either.
        book.seat(other, CAROL);
        answerGame(id);
        _drawn();
        bytes32[] memory committee = market.disputeOf(id).committee;
        for (uint256 i = 0; i < committee.length; ++i) {
            vm.assertTrue(committee[i] != seatKeys[0] && committee[i] != other);
        }
    }

    function test_AVerdictAgainstTheJudgeMovesTheWinAndTheBond() public {
        _disputed();
        _vote(4, 0, 1, ANSWER);
        uint256 bobBefore = token.balanceOf(BOB);
        vm.expectEmit(address(market));
        emit ICredits.Credited(BOB, BOND);
        vm.expectEmit(address(market));
        // 3 lost, and 10 less a tenth of it times 4 of 5.
        emit M.GameResolved(id, 0, 3e18 + 9.2e18, 5e18);
        market.resolve(id);
        vm.assertEq(market.creditOf(BOB), BOND);
        vm.assertEq(market.creditOf(JUDGE), 0);
        bytes32[] memory committee = market.disputeOf(id).committee;
        vm.assertEq(market.creditOf(book.accountOf(committee[0])), 0.2e18);
        vm.assertEq(market.creditOf(book.accountOf(committee[4])), 0);
        vm.prank(BOB);
        market.withdraw();
        vm.assertEq(token.balanceOf(BOB) - bobBefore, BOND);
        vm.prank(BOB);
        vm.assertEq(market.claim(id), 5e18 + 12.2e18);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_NothingToClaim.selector, id, holder(ALICE)));
        vm.prank(ALICE);
        market.claim(id);
    }

    function test_AVerdictForTheJudgeTakesTheDisputersBond() public {
        _disputed();
        _vote(5, ANSWER, 0, 0);
        market.resolve(id);
        vm.assertEq(market.creditOf(BOB), 0);
        vm.assertEq(market.creditOf(JUDGE), 2 * BOND - 1e18);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 8e18);
    }

    function test_OnlyAJudgeWhoseAnswerStandsHasItsFee() public {
        feeBps = 500;
        _disputed();
        _vote(4, 0, 1, ANSWER);
        market.resolve(id);
        vm.assertEq(market.creditOf(JUDGE), 0);
        _disputed();
        _vote(5, ANSWER, 0, 0);
        market.resolve(id);
        // 5 lost.
        vm.assertEq(market.creditOf(JUDGE), 2 * BOND - 1e18 + 0.25e18);
    }

    function test_AVerdictForNoChoiceRefundsAll() public {
        _disputed();
        _vote(3, 2, 2, ANSWER);
        market.resolve(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Void);
        vm.assertEq(market.creditOf(BOB), BOND);
        // 10 less a tenth of it times 3 of 5, by stakes of 3 and 5.
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 3e18 + uint256(9.4e18 * 3) / 8);
        vm.prank(BOB);
        vm.assertEq(market.claim(id), 5e18 + uint256(9.4e18 * 5) / 8);
    }

    function test_WithoutAVerdictTheAnswerStandsAndNoBondIsLost() public {
        _disputed();
        _vote(2, 0, 2, ANSWER);
        expectPhaseRefusal(id, G.Phase.Disputed);
        market.resolve(id);
        vm.warp(block.timestamp + DISPUTE);
        market.resolve(id);
        vm.assertEq(market.gameOf(id).answer, ANSWER);
        vm.assertEq(market.creditOf(BOB), BOND);
        vm.assertEq(market.creditOf(JUDGE), BOND);
    }

    function test_ABallotThatIsWrittenLikeARevealedOneDoesNotCount() public {
        _disputed();
        bytes32[] memory committee = market.disputeOf(id).committee;
        for (uint256 i = 0; i < committee.length; ++i) {
            vm.prank(book.accountOf(committee[i]));
            market.commitVerdict(id, committee[i], bytes32(uint256(1)));
        }
        vm.warp(block.timestamp + 2 * DISPUTE);
        market.resolve(id);
        vm.assertEq(market.gameOf(id).answer, ANSWER);
    }

    function test_AnUndrawnDisputeEndsAsWell() public {
        _answered();
        vm.prank(BOB);
        market.dispute(id);
        vm.warp(block.timestamp + 2 * DISPUTE);
        market.resolve(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Resolved);
    }

    function test_DrawsNobodyWhereTheSeatsOfTheDisputeAreForgottenAndTheAnswerStands() public {
        _answered();
        vm.prank(BOB);
        market.dispute(id);
        book.forget();
        vm.roll(block.number + 3);
        vm.expectRevert(bytes("forgotten"));
        market.drawCommittee(id);
        vm.warp(block.timestamp + 2 * DISPUTE);
        market.resolve(id);
        vm.assertEq(market.gameOf(id).answer, ANSWER);
        vm.assertEq(market.creditOf(BOB), BOND);
        vm.assertEq(market.creditOf(JUDGE), BOND);
    }

    function test_WithoutSeatsTheAnswerStandsAtOnce() public {
        _answered();
        book.unseatAll();
        _drawn();
        vm.assertEq(market.disputeOf(id).committee.length, 0);
        market.resolve(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Resolved);
    }

    function test_OneSeatAloneIsNoQuorum() public {
        _answered();
        book.unseatAll();
        book.seat(seatKeys[3], seatAccount(3));
        _drawn();
        _vote(1, 0, 0, 0);
        market.resolve(id);
        vm.assertEq(market.gameOf(id).answer, ANSWER);
    }

    function test_RevertWhen_DisputedOutOfTimeOrTwice() public {
        id = openGame(1, 2);
        betAs(ALICE, id, 0, 1e18);
        expectPhaseRefusal(id, G.Phase.Betting);
        market.dispute(id);
        answerGame(id);
        vm.prank(BOB);
        market.dispute(id);
        expectPhaseRefusal(id, G.Phase.Disputed);
        vm.prank(CAROL);
        market.dispute(id);
    }

    function test_RevertWhen_NothingIsAtStake() public {
        id = openGame(1, 2);
        answerGame(id);
        vm.expectRevert(abi.encodeWithSelector(D.PredictionMarket_NothingAtStake.selector, id));
        vm.prank(BOB);
        market.dispute(id);
    }

    function test_RevertWhen_DrawnTwiceOrLate() public {
        _answered();
        expectPhaseRefusal(id, G.Phase.Disputable);
        market.drawCommittee(id);
        vm.prank(BOB);
        market.dispute(id);
        vm.roll(block.number + 3);
        uint256 openedAt = block.timestamp;
        vm.warp(openedAt + DISPUTE);
        vm.expectRevert(
            abi.encodeWithSelector(D.PredictionMarket_NotNow.selector, openedAt + DISPUTE, openedAt, openedAt + DISPUTE)
        );
        market.drawCommittee(id);
        vm.warp(openedAt + DISPUTE - 1);
        market.drawCommittee(id);
        vm.expectRevert(abi.encodeWithSelector(D.PredictionMarket_AlreadyDrawn.selector, id));
        market.drawCommittee(id);
    }

    function test_RevertWhen_TheSeedIsLost() public {
        _answered();
        vm.prank(BOB);
        market.dispute(id);
        uint256 seedBlock = market.disputeOf(id).seedBlock;
        vm.roll(seedBlock + 300);
        vm.expectRevert(abi.encodeWithSelector(D.PredictionMarket_NoSeed.selector, seedBlock, seedBlock + 300));
        market.drawCommittee(id);
    }

    function test_RevertWhen_AVerdictIsCommittedByAnotherOrTwice() public {
        _disputed();
        bytes32[] memory committee = market.disputeOf(id).committee;
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotSeatAccount.selector, committee[0], ALICE));
        vm.prank(ALICE);
        market.commitVerdict(id, committee[0], bytes32("c"));
        address account = book.accountOf(committee[0]);
        vm.prank(account);
        market.commitVerdict(id, committee[0], bytes32("c"));
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_AlreadyCommitted.selector, 0));
        vm.prank(account);
        market.commitVerdict(id, committee[0], bytes32("d"));
        bytes32 stranger = bytes32("stranger");
        book.speak(stranger, ALICE);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotDrawn.selector, 5, stranger));
        vm.prank(ALICE);
        market.commitVerdict(id, stranger, bytes32("c"));
    }

    function test_RevertWhen_AVerdictComesOutOfItsSpan() public {
        _disputed();
        bytes32 seat = market.disputeOf(id).committee[0];
        address account = book.accountOf(seat);
        uint256 openedAt = market.disputeOf(id).openedAtSec;
        bytes memory refusal = abi.encodeWithSelector(
            D.PredictionMarket_NotNow.selector,
            block.timestamp,
            openedAt + DISPUTE,
            openedAt + 2 * DISPUTE
        );
        vm.expectRevert(refusal);
        vm.prank(account);
        market.revealVerdict(id, seat, 0, 0);
        vm.warp(openedAt + DISPUTE);
        refusal = abi.encodeWithSelector(
            D.PredictionMarket_NotNow.selector,
            openedAt + DISPUTE,
            openedAt,
            openedAt + DISPUTE
        );
        vm.expectRevert(refusal);
        vm.prank(account);
        market.commitVerdict(id, seat, bytes32("c"));
    }

    function test_RevertWhen_AVerdictIsNotTheOneCommittedTo() public {
        _disputed();
        bytes32 seat = market.disputeOf(id).committee[0];
        address account = book.accountOf(seat);
        bytes32 commitment = _verdictHash(seat, 0);
        vm.expectEmit(address(market));
        emit D.VerdictCommitted(id, seat, commitment);
        vm.prank(account);
        market.commitVerdict(id, seat, commitment);
        vm.warp(block.timestamp + DISPUTE);
        bytes32 other = _verdictHash(seat, 1);
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotVerdict.selector, 0, other));
        vm.prank(account);
        market.revealVerdict(id, seat, 1, "salt");
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_UnknownChoice.selector, 3, 2));
        vm.prank(account);
        market.revealVerdict(id, seat, 3, "salt");
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotSeatAccount.selector, seat, ALICE));
        vm.prank(ALICE);
        market.revealVerdict(id, seat, 0, "salt");
        vm.expectEmit(address(market));
        emit D.VerdictRevealed(id, seat, 0);
        vm.prank(account);
        market.revealVerdict(id, seat, 0, "salt");
        vm.expectRevert(abi.encodeWithSelector(IJury.Jury_NotVerdict.selector, 0, commitment));
        vm.prank(account);
        market.revealVerdict(id, seat, 0, "salt");
    }

    /// @dev Alice has 3 on the Judge's answer, Bob 5 against it.
    function _answered() internal {
        id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 3e18);
        betAs(BOB, id, 0, 5e18);
        answerGame(id);
    }

    function _disputed() internal {
        _answered();
        _drawn();
    }

    function _drawn() internal {
        vm.prank(BOB);
        market.dispute(id);
        vm.roll(block.number + 3);
        market.drawCommittee(id);
    }

    /// @dev `first` of the committee say one thing, `second` after them another; who is left says nothing.
    function _vote(uint256 first, uint8 choice, uint256 second, uint8 other) internal {
        bytes32[] memory committee = market.disputeOf(id).committee;
        for (uint256 i = 0; i < first + second; ++i) {
            bytes32 commitment = _verdictHash(committee[i], i < first ? choice : other);
            vm.prank(book.accountOf(committee[i]));
            market.commitVerdict(id, committee[i], commitment);
        }
        vm.warp(market.disputeOf(id).openedAtSec + DISPUTE);
        for (uint256 i = 0; i < first + second; ++i) {
            vm.prank(book.accountOf(committee[i]));
            market.revealVerdict(id, committee[i], i < first ? choice : other, "salt");
        }
    }

    function _verdictHash(bytes32 seat, uint8 choice) internal view returns (bytes32 hash) {
        return keccak256(abi.encode(block.chainid, address(market), id, seat, choice, bytes32("salt")));
    }
}
