// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "../../src/interfaces/ICredits.sol";
import {IChallengeBonds} from "../../src/interfaces/IChallengeBonds.sol";
import {ICommittedWork} from "../../src/interfaces/ICommittedWork.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {IRulings} from "../../src/interfaces/IRulings.sol";
import {IWithheldLeaves} from "../../src/interfaces/IWithheldLeaves.sol";
import {SpecificationFields} from "../../src/libraries/SpecificationFields.sol";
import {Vm} from "../TestBase.sol";
import {LeafFixture} from "./LeafFixture.sol";
import {Undelivered} from "./Undelivered.sol";

contract WithheldLeavesTest is LeafFixture {
    function test_AShownLeafPaysItsGasAndGivesBackTheRest() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        uint32 index = sampledAt(0, solvers[0], 0);
        vm.expectEmit(address(challenges));
        emit IWithheldLeaves.LeafDemanded(0, solvers[0], index, CHALLENGER, BOND, 2);
        demand(0, solvers[0], work);
        vm.assertEq(address(challenges).balance, BOND);
        enterRound(2);
        vm.txGasPrice(MIN_GAS_PRICE_WEI / 2);
        vm.recordLogs();
        vm.prank(address(0xA11), address(0xA11));
        show(0, solvers[0], work);
        uint256 paidWei = challenges.creditOf(address(0xA11));
        expectShown(vm.getRecordedLogs(), index, paidWei);
        vm.assertLe(80_000 * (MIN_GAS_PRICE_WEI / 2), paidWei);
        vm.assertLe(paidWei, 300_000 * (MIN_GAS_PRICE_WEI / 2));
        vm.assertEq(challenges.creditOf(CHALLENGER), BOND - paidWei);
        vm.assertTrue(challenges.demandOf(0, solvers[0], index).state == IWithheldLeaves.DemandState.Shown);
    }

    function test_RevertWhen_DemandedTooLate() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(3);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotDemandable.selector, 0, 3));
        demand(0, solvers[0], work);
    }

    function test_ADemandOpenAtFinalityDelaysThatPeerOnly() public {
        playDemanded();
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        vm.assertEq(votes.earnedOf(solvers[1]), 400 ether);
        uint32 index = sampledAt(0, solvers[0], 0);
        vm.expectEmit(address(challenges));
        emit IWithheldLeaves.LeafWithheld(0, solvers[0], index, 600, CHALLENGER);
        challenges.closeDemand(0, solvers[0], index);
        expectOutcome(solvers[0], 6, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
        vm.assertEq(pointsIn(0), 400);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        vm.assertEq(votes.earnedOf(solvers[1]), 1_000 ether);
        vm.assertEq(challenges.creditOf(CHALLENGER), BOND);
    }

    /// @dev The chain stood still for the rounds in which the leaf could be shown: they cost the peer nothing.
    function test_ADemandIsOpenForAsManyBlocksAsItTakesToAnswer() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        uint256 dueBlock = vm.getBlockNumber() + challenges.RESPONSE_BLOCKS();
        demand(0, solvers[0], work);
        uint32 index = sampledAt(0, solvers[0], 0);
        vm.warp(rounds.startOf(9));
        vm.expectRevert(
            abi.encodeWithSelector(IWithheldLeaves.Challenges_TooFewBlocks.selector, dueBlock, vm.getBlockNumber())
        );
        challenges.closeDemand(0, solvers[0], index);
        show(0, solvers[0], work);
        expectOutcome(solvers[0], 0, 0);
    }

    function test_ADemandBeforeSettlementHoldsItsScore() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        expectOutcome(solvers[0], 0, 0);
        show(0, solvers[0], work);
        voteOn(0, scoresOf(900, 900, 900));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(4);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_000 ether);
    }

    function test_AnUnansweredDemandEndsTheRoundBeforeSettlement() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        voteOn(0, scoresOf(900, 900, 900));
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(solvers[0], 6, 0);
        vm.assertEq(pointsIn(0), 0);
    }

    /// @dev The ring's entry of the demanded round must not be lost.
    function test_WhatWasEarnedBeforeIsKept() public {
        commitRollouts(solvers[0]);
        voteOn(0, scoresOf(900, 900, 900));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(11);
        enterRound(12);
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(13);
        demand(12, solvers[0], work);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_000 ether);
        vm.assertEq(votes.points(solvers[0]), 900);
    }

    /// @dev Nobody closes it for so long that the ring comes to the held word's place again.
    function test_AHeldScoreOutlivesTheRing() public {
        playDemanded();
        enterRound(11);
        enterRound(12);
        commitRollouts(solvers[0]);
        voteOn(12, scoresOf(500, 500, 500));
        votes.settle(12, 0, firstSolvers(1));
        expectOutcome(solvers[0], 1, 600);
        vm.assertEq(votes.points(solvers[0]), 1_100);
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        vm.assertEq(votes.points(solvers[0]), 500);
        enterRound(16);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_000 ether);
        vm.assertEq(votes.earnedOf(solvers[1]), 1_000 ether);
    }

    /// @dev A leaf that is shown does not end the wait for the other.
    function test_AScoreIsHeldUntilEachDemandIsClosed() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        commitRollouts(solvers[1]);
        voteAndReveal(0, scoresOf(600, 400));
        demand(0, solvers[0], work);
        vm.prank(CHALLENGER);
        challenges.demandLeaf{value: BOND}(0, solvers[0], work, sampleAt(1));
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
        enterRound(4);
        show(0, solvers[0], work);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 1));
        expectOutcome(solvers[0], 6, 0);
    }

    /// @dev The chain itself saw that the leaf is false; that it is not shown either adds nothing.
    function test_ARoundThatWasFoundFalseStaysFalse() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        enterRound(2);
        enterRound(3);
        challenges.challengeLeaf(0, solvers[0], work, drawnLeaf(0, solvers[0]), proof());
        expectOutcome(solvers[0], 5, 0);
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        expectOutcome(solvers[0], 5, 0);
        vm.assertEq(challenges.creditOf(CHALLENGER), BOND);
    }

    function test_CreditsArePaidByPull() public {
        playDemanded();
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        uint256 before = CHALLENGER.balance;
        vm.expectEmit(address(challenges));
        emit ICredits.Withdrawn(CHALLENGER, BOND);
        vm.assertEq(challenges.withdraw(CHALLENGER), BOND);
        vm.assertEq(CHALLENGER.balance - before, BOND);
        vm.assertEq(address(challenges).balance, 0);
        vm.expectRevert(abi.encodeWithSelector(ICredits.Credits_NothingToWithdraw.selector, CHALLENGER));
        challenges.withdraw(CHALLENGER);
    }

    function test_RevertWhen_TheAccountRefusesItsCredit() public {
        address account = address(new Undelivered());
        vm.deal(account, BOND);
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        vm.prank(account);
        challenges.demandLeaf{value: BOND}(0, solvers[0], work, sampleAt(0));
        enterRound(2);
        enterRound(3);
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
        vm.expectRevert(abi.encodeWithSelector(IChallengeBonds.Challenges_Refused.selector, account, BOND));
        challenges.withdraw(account);
    }

    function test_RevertWhen_DemandedWhileTheRoundRuns() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotDemandable.selector, 0, 0));
        demand(0, solvers[0], work);
    }

    function test_RevertWhen_TheBondIsTooSmall() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        vm.expectRevert(abi.encodeWithSelector(IChallengeBonds.Challenges_BondTooSmall.selector, BOND - 1, BOND));
        challenges.demandLeaf{value: BOND - 1}(0, solvers[0], work, sampleAt(0));
    }

    function test_TheBondFollowsTheBaseFee() public {
        vm.assertEq(challenges.minDemandBond(), BOND);
        vm.fee(MIN_GAS_PRICE_WEI);
        vm.assertEq(challenges.minDemandBond(), 2 * BOND);
    }

    function test_RevertWhen_TheCommitmentIsAnother() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        work.leafCount = 9;
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCommitted.selector, 0, solvers[0])
        );
        demand(0, solvers[0], work);
    }

    function test_RevertWhen_TheSpecificationIsAnother() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        IWithheldLeaves.Sample memory sample = sampleAt(0);
        sample.specification = "other";
        vm.expectRevert(
            abi.encodeWithSelector(IWithheldLeaves.Challenges_NotEnvironment.selector, 0, keccak256("other"))
        );
        challenges.demandLeaf{value: BOND}(0, solvers[0], work, sample);
    }

    function test_RevertWhen_TheFieldIsNotThere() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        IWithheldLeaves.Sample memory sample = sampleAt(0);
        for (uint256 offset = 0; offset < 40; ++offset) {
            if (offset == 1) continue;
            sample.owedAt = offset;
            vm.expectRevert(abi.encodeWithSelector(SpecificationFields.SpecificationFields_NotThere.selector, offset));
            challenges.demandLeaf{value: BOND}(0, solvers[0], work, sample);
        }
    }

    function test_RevertWhen_ThePlaceIsBeyondTheSample() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotSampled.selector, 4, 4, 8));
        challenges.demandLeaf{value: BOND}(0, solvers[0], work, sampleAt(4));
    }

    /// @dev The specification samples 9 leaves of 8.
    function test_NoMoreLeavesAreSampledThanAreOwed() public {
        bytes memory specification = hex"a26a6f7765644c6561766573086d73616d706c65644c656176657309";
        rounds.setEnvironment(1, keccak256(specification));
        enterRound(1);
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(2);
        IWithheldLeaves.Sample memory sample = IWithheldLeaves.Sample(specification, 1, 13, 8);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotSampled.selector, 8, 8, 8));
        challenges.demandLeaf{value: BOND}(1, solvers[0], work, sample);
        sample.place = 7;
        vm.assertLe(challenges.demandLeaf{value: BOND}(1, solvers[0], work, sample), 7);
    }

    function test_RevertWhen_TheLeafWasNeverCommitted() public {
        uint32 index = sampledAt(0, solvers[0], 0);
        vm.prank(registry.accountOf(solvers[0]));
        uint32 leafCount = index == 0 ? 1 : index;
        commitments.commit(0, solvers[0], SIBLING, leafCount, POLICY, POLICY, 0);
        enterRound(1);
        IRolloutCommitments.Work memory work = IRolloutCommitments.Work(SIBLING, leafCount, POLICY, POLICY);
        vm.assertLe(1, index);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotSampled.selector, 0, 4, leafCount));
        demand(0, solvers[0], work);
    }

    function test_RevertWhen_TheRoundHasNoBeacon() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        vm.warp(rounds.startOf(1));
        vm.expectRevert(abi.encodeWithSelector(ICommittedWork.Challenges_NoBeacon.selector, 0));
        demand(0, solvers[0], work);
    }

    function test_RevertWhen_DemandedTwice() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        uint32 index = sampledAt(0, solvers[0], 0);
        bytes memory again = abi.encodeWithSelector(
            IWithheldLeaves.Challenges_AlreadyDemanded.selector,
            0,
            solvers[0],
            index
        );
        vm.expectRevert(again);
        demand(0, solvers[0], work);
        show(0, solvers[0], work);
        vm.expectRevert(again);
        demand(0, solvers[0], work);
    }

    function test_RevertWhen_NothingIsDemanded() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        uint32 index = sampledAt(0, solvers[0], 0);
        bytes memory none = abi.encodeWithSelector(
            IWithheldLeaves.Challenges_NotDemanded.selector,
            0,
            solvers[0],
            index
        );
        vm.expectRevert(none);
        show(0, solvers[0], work);
        vm.expectRevert(none);
        challenges.closeDemand(0, solvers[0], index);
    }

    function test_RevertWhen_ClosedWhileItCanBeAnswered() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        enterRound(2);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_TooEarly.selector, 2, 2));
        challenges.closeDemand(0, solvers[0], sampledAt(0, solvers[0], 0));
    }

    function test_RevertWhen_WhatIsShownIsNotTheLeaf() public {
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        IRolloutCommitments.Leaf memory leaf = drawnLeaf(0, solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotBody.selector, sha256("other"), bodyHash));
        challenges.showLeaf(0, solvers[0], work, leaf, proof(), "other");
        leaf.bodyHash = sha256("other");
        bytes32 hash = commitments.leafOf(0, solvers[0], leaf);
        vm.expectRevert(abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotUnderRoot.selector, hash));
        challenges.showLeaf(0, solvers[0], work, leaf, proof(), "other");
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_BodyTooLarge.selector, 65_537));
        challenges.showLeaf(0, solvers[0], work, leaf, proof(), new bytes(65_537));
        work.root = SIBLING;
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCommitted.selector, 0, solvers[0])
        );
        challenges.showLeaf(0, solvers[0], work, leaf, proof(), "other");
    }

    function test_RevertWhen_AnotherAccountRules() public {
        bytes memory refusal = abi.encodeWithSelector(IRulings.RewardVotes_NotChallenges.selector, address(this));
        vm.expectRevert(refusal);
        votes.hold(0, solvers[0]);
        vm.expectRevert(refusal);
        votes.release(0, solvers[0]);
        vm.expectRevert(refusal);
        votes.annul(0, solvers[0]);
        vm.expectRevert(refusal);
        votes.forfeit(0, solvers[0]);
    }

    function test_ItKnowsTheVotesThatItRulesOn() public view {
        vm.assertEq(address(challenges.rewardVotes()), address(votes));
    }

    /// @dev Of any body, only its preimage is accepted.
    function testFuzz_OnlyTheCommittedBodyIsShown(bytes memory body) public {
        vm.assume(sha256(body) != sha256(BODY));
        IRolloutCommitments.Work memory work = commitDrawn(solvers[0]);
        enterRound(1);
        demand(0, solvers[0], work);
        IRolloutCommitments.Leaf memory leaf = drawnLeaf(0, solvers[0]);
        vm.expectRevert(abi.encodeWithSelector(IWithheldLeaves.Challenges_NotBody.selector, sha256(body), bodyHash));
        challenges.showLeaf(0, solvers[0], work, leaf, proof(), body);
    }

    /// @dev Two peers settled at 600 and 400, a leaf of the first demanded in the last round for it; now it is final.
    function playDemanded() internal returns (IRolloutCommitments.Work memory work) {
        work = commitDrawn(solvers[0]);
        commitRollouts(solvers[1]);
        voteAndReveal(0, scoresOf(600, 400));
        demand(0, solvers[0], work);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(2));
        enterRound(4);
    }

    function expectOutcome(bytes32 peerKey, uint8 outcome, uint16 scoreMilli) internal view {
        (uint8 actual, uint16 actualScore) = votes.outcomeOf(0, peerKey);
        vm.assertEq(actual, outcome);
        vm.assertEq(actualScore, scoreMilli);
    }

    /// @dev The leaf was told of, and what both sides got.
    function expectShown(Vm.Log[] memory logs, uint32 index, uint256 paidWei) internal view {
        vm.assertEq(logs.length, 3);
        vm.assertEq(logs[0].topics[0], IWithheldLeaves.LeafShown.selector);
        vm.assertEq(logs[0].topics[2], solvers[0]);
        vm.assertEq(logs[0].topics[3], bytes32(uint256(0xA11)));
        vm.assertEq(keccak256(logs[0].data), keccak256(abi.encode(index, paidWei)));
        vm.assertEq(logs[1].topics[0], ICredits.Credited.selector);
        vm.assertEq(abi.decode(logs[2].data, (uint256)), BOND - paidWei);
        vm.assertEq(challenges.RESPONSE_GAS() * challenges.MIN_GAS_PRICE_WEI(), BOND);
        vm.assertEq(challenges.MAX_BODY_BYTES(), 65_536);
    }
}
